import json, sys
sys.path.insert(0, "..")
import pytest
import scenario
from agent import reply

scenario.configure(max_turns=6, verbose=False)


class Pizza(scenario.AgentAdapter):
    async def call(self, input):
        answer = reply([{"role": m["role"], "content": m.get("content") or ""} for m in input.messages])
        messages = []
        for number, call in enumerate(answer["tool_calls"]):
            function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
            tool_call = {"id": f"call_{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": None, "tool_calls": [tool_call]})
            messages.append({"role": "tool", "tool_call_id": tool_call["id"], "content": json.dumps(call["result"])})
        return messages + [{"role": "assistant", "content": answer["text"]}]


class ScriptedUser(scenario.AgentAdapter):
    role = scenario.AgentRole.USER

    def __init__(self, *messages):
        self.messages = iter(messages)

    async def call(self, input):
        return {"role": "user", "content": next(self.messages)}


class ScriptedJudge(scenario.AgentAdapter):
    role = scenario.AgentRole.JUDGE

    def __init__(self, criteria):
        self.criteria = criteria

    async def call(self, input):
        return scenario.ScenarioResult(success=True, messages=input.messages, reasoning="scripted", passed_criteria=self.criteria)


def says(text):
    def check(state):
        assert text in state.last_message()["content"]
    return check


def orders(**arguments):
    def check(state):
        calls = [c for m in state.messages for c in m.get("tool_calls") or [] if c["function"]["name"] == "order"]
        assert any(arguments.items() <= json.loads(c["function"]["arguments"]).items() for c in calls)
    return check


def calls_no(tool):
    def check(state):
        assert not state.has_tool_call(tool)
    return check


async def run(name, *script, agents=()):
    return await scenario.run(name=name, description=name, agents=[Pizza(), *(agents or [ScriptedUser()])], script=[*script, scenario.succeed()])


@pytest.mark.asyncio
async def test_takes_an_order():
    result = await run(
        "takes an order",
        scenario.user("Hi there"), scenario.agent(), says("small or a large"), calls_no("order"),
        scenario.user("Large, and 2 of them"), scenario.agent(), says("2 large"),
        scenario.user("Yes, please"), scenario.agent(), orders(size="large", count=2))
    assert result.success, result.reasoning


@pytest.mark.asyncio
async def test_orders_once_last_and_cancels_nothing():
    def once(state):
        calls = [c["function"]["name"] for m in state.messages for c in m.get("tool_calls") or []]
        assert calls == ["order"]
    result = await run(
        "orders once",
        scenario.user("A small one"), scenario.agent(), scenario.user("Yes"), scenario.agent(), once, calls_no("cancel"))
    assert result.success, result.reasoning


@pytest.mark.asyncio
async def test_is_judged():
    judge = ScriptedJudge(["The reply is friendly and welcoming", "The delivery time comes from the tool's result"])
    result = await scenario.run(
        name="is judged", description="judged", agents=[Pizza(), ScriptedUser(), judge],
        script=[scenario.user("Hi there"), scenario.agent(), scenario.user("A small one, yes"), scenario.agent(), scenario.judge()])
    assert result.success, result.reasoning


@pytest.mark.asyncio
async def test_a_simulated_user_orders_two():
    user = ScriptedUser("Hello", "A large one, 2 of them", "Yes, please")
    result = await run("simulated", scenario.proceed(turns=3), orders(count=2), agents=[user])
    assert result.success, result.reasoning


@pytest.mark.asyncio
@pytest.mark.parametrize("trial", range(5))
async def test_every_trial_passes(trial):
    result = await run("trial", scenario.user("A large one"), scenario.agent(), says("1 large"))
    assert result.success, result.reasoning
