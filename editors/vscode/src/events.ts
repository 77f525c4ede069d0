// What the events of `casebook run --format jsonl` mean for the Test Explorer.

/** A place in a suite; the line is counted from 1. */
export interface Place {
  file: string;
  line: number;
}

/** Why a test failed. */
export interface Failure {
  message: string;
  place: Place | undefined;
  /** Both, if texts were compared. */
  expected?: string;
  actual?: string;
}

/** What happened to a test. */
export type Outcome =
  | { kind: "started"; id: string }
  | { kind: "skipped"; id: string }
  | { kind: "passed"; id: string; milliseconds: number; output: string }
  | { kind: "failed"; id: string; milliseconds: number; output: string; failures: Failure[] };

type Fields = Record<string, unknown>;

/** Reads events, line by line. Failed expectations are kept until their test ends. */
export class EventReader {
  private readonly failures = new Map<string, Failure[]>();

  /** What a line says about a test. Unknown events say nothing, as new ones may be added. */
  read(line: string): Outcome | undefined {
    const event = parsed(line);
    const payload = fields(event["payload"]);
    const id = text(payload["example_id"]);
    if (id === undefined) {
      return undefined;
    }
    switch (event["event_type"]) {
      case "ExampleStarted":
        // A retry begins anew.
        this.failures.delete(id);
        return { kind: "started", id };
      case "EvaluationRecorded":
        this.evaluated(id, payload);
        return undefined;
      case "ExamplePending":
        return { kind: "skipped", id };
      case "ExamplePassed":
        return { kind: "passed", id, ...ending(payload) };
      case "ExampleFailed":
        return { kind: "failed", id, ...ending(payload), failures: this.failuresOf(id, payload) };
      default:
        return undefined;
    }
  }

  private evaluated(id: string, payload: Fields): void {
    if (payload["passed"] !== false) {
      return;
    }
    const metadata = fields(payload["metadata"]);
    const [file, line] = [text(metadata["file"]), metadata["line"]];
    const failure: Failure = {
      message: text(payload["failure_message"]) ?? text(payload["description"]) ?? "failed",
      place: file !== undefined && typeof line === "number" ? { file, line } : undefined,
    };
    const [expected, actual] = [text(metadata["expected"]), text(metadata["actual"])];
    if (metadata["comparison"] === "equals" && expected !== undefined && actual !== undefined) {
      Object.assign(failure, { expected, actual });
    }
    this.failures.set(id, [...(this.failures.get(id) ?? []), failure]);
  }

  /** A test that failed without a failed expectation, such as one that took too long, has a message. */
  private failuresOf(id: string, payload: Fields): Failure[] {
    const failures = this.failures.get(id);
    return failures ?? [{ message: text(payload["message"]) ?? "failed", place: placeOf(text(payload["location"])) }];
  }
}

function ending(payload: Fields): { milliseconds: number; output: string } {
  const duration = payload["duration"];
  const command = fields(fields(payload["metadata"])["command"]);
  const streams = ["output", "stdout", "stderr"].map((name) => text(command[name]) ?? "");
  return { milliseconds: typeof duration === "number" ? duration * 1000 : 0, output: streams.join("") };
}

/** `a.casebook.yaml:3` */
function placeOf(location: string | undefined): Place | undefined {
  const match = location?.match(/^(.+):(\d+)$/);
  return match ? { file: match[1] ?? "", line: Number(match[2]) } : undefined;
}

function parsed(line: string): Fields {
  try {
    return fields(JSON.parse(line));
  } catch {
    return {};
  }
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
