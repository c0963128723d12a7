import { type OfferedTurn, rowOf, type Tool, type TypeOf } from '#plugin-api'
import type { AskableAgent } from '../../agents/agents/askable.ts'
import type { Cradle } from './manifest.ts'

/** The agents that the model reads of, and those that it can name. */
const MAX_LISTED = 30
const MAX_NAMED = 500
/** The most characters of the description of an agent that the model reads. */
const MAX_DESCRIPTION = 200

const input = rowOf({
  agent: { type: 'string', minLength: 1, maxLength: 128, description: 'The name of the agent.' },
  task: {
    type: 'string',
    minLength: 1,
    maxLength: 100_000,
    description:
      'The task, with all that is needed for it: the aim, what is known, texts and addresses, and what exactly the answer is to contain.',
  },
})

const describe = (agents: readonly AskableAgent[]): string =>
  [
    'Asks another agent of this server to do a task for the user, and returns its answer. It has its own instructions, tools, knowledge and workspace, and sees nothing of this conversation: it knows only the task.',
    'Use it if the user names one of these agents, often with an @ before its name, or if the task is what the agent is made for and you are not. The user does not see its answer: tell them what matters, and that it is from that agent.',
    'The agents:',
    ...agents.map(({ name, description }) => {
      const about = description ? `: ${oneLine(description).slice(0, MAX_DESCRIPTION).toWellFormed()}` : ''
      return `- ${name}${about}`
    }),
  ].join('\n')

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Creates the tool with which an agent asks another one; turns have it if there is one to ask. */
export function createAskAgent(services: () => Pick<Cradle, 'agents'>): Tool {
  const toQuestion = ({ user_id: id, groups, agent_id: except }: OfferedTurn, limit: number) =>
    [
      { id, groups },
      { except, limit },
    ] as const
  const tool: Tool = {
    name: 'ask_agent',
    label: { en: 'Ask another agent', zh: '询问其他智能体' },
    description: describe([]),
    input_schema: input,
    disableable: true,
    delegates: true,
    execute: () => 'There is no other agent to ask.',
    async forTurn(turn) {
      const listed = await services().agents.listRecentlyAskable(...toQuestion(turn, MAX_LISTED))
      if (listed.length === 0) return null
      return {
        ...tool,
        description: describe(listed),
        quotes_others: listed.some(({ is_own }) => !is_own),
        async execute({ agent, task }: TypeOf<typeof input>, { delegate }) {
          const others = await services().agents.listAskable(...toQuestion(turn, MAX_NAMED))
          const named = findNamed(others, agent)
          if (!named) {
            const names = others.slice(0, MAX_LISTED).map(({ name }) => name)
            throw new Error(
              `the agent "${agent}" does not exist or cannot be asked; these can: ${names.join(', ')}`,
            )
          }
          const answer = await delegate(task, { agent_id: named._id })
          return answer.trim() ? answer : `(${named.name} ended without an answer)`
        },
      }
    },
  }
  return tool
}

function findNamed(agents: readonly AskableAgent[], text: string): AskableAgent | undefined {
  const name = text.trim().replace(/^@/, '')
  return (
    agents.find((agent) => agent.name === name) ??
    agents.find((agent) => agent.name.toLowerCase() === name.toLowerCase() || agent._id === name)
  )
}
