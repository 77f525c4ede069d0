# Written from the documentation of rspec-agents, and not run.
require "json"
require "open3"
require "rspec/agents"

class Pizza < RSpec::Agents::Agents::Base
  PROGRAM = "import json, sys; sys.path.insert(0, '..'); from agent import reply; print(json.dumps(reply(json.load(sys.stdin))))"

  def chat(messages, on_tool_call: nil)
    output, = Open3.capture2("python3", "-c", PROGRAM, stdin_data: JSON.generate(normalize_messages(messages)))
    answer = JSON.parse(output)
    calls = answer["tool_calls"].map do |call|
      arguments = call["arguments"].transform_keys(&:to_sym)
      RSpec::Agents::ToolCall.new(name: call["name"].to_sym, arguments: arguments, result: call["result"])
        .tap { |tool_call| on_tool_call&.call(tool_call) }
    end
    RSpec::Agents::AgentResponse.new(text: answer["text"], tool_calls: calls)
  end
end

RSpec::Agents.configure do |config|
  config.agent = Pizza
  config.use_anthropic!
end

RSpec.describe "Pizza", type: :agent do
  criterion :friendly, "The reply is friendly and welcoming"

  it "takes an order" do
    user.says "Hi there"
    expect(agent).to satisfy(->(turn) { turn.agent_response.text.include?("small or a large") })
    expect(agent).not_to call_tool(:order)
    user.says "Large, and 2 of them"
    expect(agent).to satisfy(->(turn) { turn.agent_response.text.include?("2 large") })
    user.says "Yes, please"
    expect(agent).to call_tool(:order).with(size: "large", count: 2)
  end

  it "orders last, and cancels nothing" do
    user.says "A small one"
    expect(agent).not_to call_tool(:order)
    user.says "Yes"
    expect(agent).to call_tool(:order)
    expect(conversation).not_to have_tool_call(:cancel)
  end

  it "is judged" do
    user.says "Hi there"
    evaluate(agent).to satisfy(:friendly)
    user.says "A small one, yes"
    expect(agent).to be_grounded_in(:delivery_time, from_tools: [:order])
  end

  it "orders two for a simulated user" do
    user.simulate do
      goal "Order two large pizzas"
      max_turns 6
    end
    expect(agent).to call_tool(:order).with(count: 2)
  end
end
