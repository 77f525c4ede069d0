import sys
sys.path.insert(0, "..")
from agent import reply
from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, model_graded_qa, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import ToolCall


def said(text):
    output = ModelOutput.from_content("mockllm", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def turn(state, text):
    """One turn with the agent: adds the user's message, the calls and the reply."""
    state.messages.append(ChatMessageUser(content=text))
    answer = reply([{"role": m.role, "content": m.text} for m in state.messages])
    calls = [ToolCall(id=c["name"], function=c["name"], arguments=c["arguments"]) for c in answer["tool_calls"]]
    state.messages.append(ChatMessageAssistant(content=answer["text"], tool_calls=calls))
    state.output = ModelOutput.from_content("agent", answer["text"])


@solver
def script(*messages):
    async def solve(state, generate):
        state.messages = []
        for text in messages:
            turn(state, text)
        return state
    return solve


def calls_of(state):
    return [call for m in state.messages if m.role == "assistant" for call in m.tool_calls or []]


def replies_of(state):
    return [m.text for m in state.messages if m.role == "assistant"]


def check(condition, explanation):
    @scorer(metrics=[accuracy()], name="check")
    def build():
        async def score(state, target):
            passed = condition(state)
            return Score(value=1 if passed else 0, explanation=None if passed else explanation(state))
        return score
    return build()


SAMPLE = [Sample(input="-", target="-")]


@task
def takes_an_order():
    def passed(state):
        replies, calls = replies_of(state), calls_of(state)
        return ("small or a large" in replies[0] and "2 large" in replies[1]
                and any(c.function == "order" and c.arguments == {"size": "large", "count": 2} for c in calls))
    return Task(dataset=SAMPLE, solver=script("Hi there", "Large, and 2 of them", "Yes, please"),
                scorer=check(passed, lambda state: f"calls: {[(c.function, c.arguments) for c in calls_of(state)]}"))


@task
def orders_once():
    def passed(state):
        return [c.function for c in calls_of(state)] == ["order"]
    return Task(dataset=SAMPLE, solver=script("A small one", "Yes"),
                scorer=check(passed, lambda state: f"calls: {[c.function for c in calls_of(state)]}"))


@task
def is_judged():
    judge = get_model("mockllm/model", custom_outputs=[said("It is friendly. GRADE: C")])
    return Task(dataset=[Sample(input="Hi there", target="The reply is friendly and welcoming")],
                solver=script("Hi there"), scorer=model_graded_qa(model=judge))


@solver
def simulated(goal, max_turns=6):
    user = get_model("mockllm/model", custom_outputs=[
        said(text) for text in ["Hello", "A large one, 2 of them", "Yes, please"]])

    async def solve(state, generate):
        state.messages = []
        for _ in range(max_turns):
            prompt = f"You are a customer. Your goal: {goal}. The conversation so far: {[m.text for m in state.messages]}"
            turn(state, (await user.generate(prompt)).completion)
            if any(call.function == "order" for call in calls_of(state)):
                break
        return state
    return solve


@task
def simulated_user():
    def passed(state):
        return any(c.function == "order" and c.arguments["count"] == 2 for c in calls_of(state))
    return Task(dataset=SAMPLE, solver=simulated("Order two large pizzas"),
                scorer=check(passed, lambda state: f"calls: {[(c.function, c.arguments) for c in calls_of(state)]}"))


@task
def four_of_five():
    def passed(state):
        return "1 large" in replies_of(state)[0]
    return Task(dataset=SAMPLE, solver=script("A large one"), epochs=Epochs(5, "at_least_4"),
                scorer=check(passed, lambda state: replies_of(state)[0]))
