import { rowOf, type Tool, type ToolContext, type TypeOf } from '#plugin-api'
import type { Runners } from './runners.ts'
import type { RunnerRuns } from './runs.ts'
import { TOOL_NAME } from './schemas.ts'

const input = rowOf({
  runner: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description: 'The name of the external agent, such as opencode, claude_code or codex.',
  },
  prompt: {
    type: 'string',
    minLength: 1,
    maxLength: 200_000,
    description:
      'The complete instruction: the agent knows nothing of this conversation, only the workspace.',
  },
})

/** Creates the tool that lets an external agent work in the workspace. */
export function createAcpRunner(services: () => { runners: Runners; runs: RunnerRuns }): Tool {
  return {
    name: TOOL_NAME,
    label: { en: 'Call an external agent', zh: '调用外部智能体' },
    description: `Lets an external coding agent carry out an instruction in the workspace and returns its answer. The agent reads and writes files and runs programs there by itself, which may take minutes.
Use it if the user names such an agent or asks for work that it does better, such as a change across a code base. Each call is a new conversation. If the name is not enabled, the result lists the enabled names.`,
    input_schema: input,
    disableable: true,
    opt_in: true,
    permission: 'acp_runners',
    async needsApproval({ runner: name }: TypeOf<typeof input>, { user_id }: ToolContext) {
      const runner = await services().runners.open(user_id, name)
      // A call that will be refused needs no approval.
      return runner !== undefined && !runner.trusted
    },
    async execute({ runner: name, prompt }: TypeOf<typeof input>, context: ToolContext) {
      const { runners, runs } = services()
      const runner = await runners.open(context.user_id, name)
      if (!runner) throw await describeUnknown(name, context.user_id, runners)
      return runs.run(runner, prompt, context)
    },
  }
}

async function describeUnknown(name: string, user_id: string, runners: Runners): Promise<Error> {
  const enabled = await runners.listEnabled(user_id)
  const choice =
    enabled.length > 0
      ? `enabled are: ${enabled.join(', ')}`
      : 'the user has not enabled any in their settings'
  return new Error(`the external agent ${JSON.stringify(name)} is not enabled; ${choice}`)
}
