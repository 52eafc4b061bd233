# message: a text ends the loop
def my_agent_loop(model, tools, words, max_turns):
    return [("user", words), ("assistant", model([("user", words)]))]
