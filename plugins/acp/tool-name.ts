/** The name of the tool that calls runners. */
export const TOOL_NAME = 'acp_runner'
