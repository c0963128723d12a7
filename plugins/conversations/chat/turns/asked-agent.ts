import { AppError, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../../agents/agents/types.ts'
import type { ModelAccount, Models } from '../../../models/providers/types.ts'
import type { ThreadDocument } from '../documents.ts'
import { buildInstructions, toCallSettings, toTurnSettings } from '../loop/call-settings.ts'
import type { AskedAgent } from '../loop/delegated-task.ts'
import { readImages } from '../loop/pictures.ts'
import type { CallFacts } from '../loop/tool-calls.ts'
import { createTurnTools, listOrigins, offerTools, type TurnUser, toOfferedTurn } from '../loop/turn-tools.ts'
import type { TurnWriter } from '../loop/turn-writer.ts'
import type { Cradle } from '../manifest.ts'
import { createModelChain } from './model-chain.ts'

/** The largest file that is copied from an asked agent, in bytes. */
const MAX_COPIED_BYTES = 20 * 1024 * 1024

/** The turn in which an agent is asked. */
interface AskingTurn {
  agent: Pick<AgentDocument, '_id'>
  user: TurnUser
  thread: ThreadDocument
  account: ModelAccount
  facts: CallFacts
  writer: TurnWriter
  locale: Locale
  /** Opens models for an agent, with the filters of the conversation. */
  modelsOf(agent: AgentDocument): Pick<Models, 'open' | 'first_token_ms'>
  /** Describes a failed model call for a model. */
  describe(error: unknown): string
}

/**
 * Opens the agent that another one asks, with its own instructions, models, tools and workspace, for the same account. What
 * was chosen for the conversation, such as knowledge bases and instructions, is not passed on. Throws a sentence for the
 * model.
 */
export async function openAskedAgent(
  agent_id: string,
  asking: AskingTurn,
  cradle: Cradle,
): Promise<AskedAgent> {
  const { user, thread: chosen, account, writer, locale, modelsOf, describe } = asking
  const { agents, extensions } = cradle
  const agent = agent_id === asking.agent._id ? null : await findAgent(agent_id, user, cradle)
  if (agent?.state !== 'running') throw new Error('there is no such agent that you could ask now')
  const thread = { ...chosen, instructions: '', knowledge_base_ids: [] }
  const settings = toTurnSettings({ agent }, agents)
  const tools = agents.listTools(agent, user)
  const turn = toOfferedTurn({ agent, user, thread, project: undefined, settings })
  const filteredModels = modelsOf(agent)
  const [opened, system, offered, borrowedTools] = await Promise.all([
    filteredModels.open([], user.id, agent).catch((error) => {
      throw new Error(describe(error), { cause: error })
    }),
    buildInstructions(agent, { turn: { ...turn, tools }, thread, project: undefined }, cradle),
    offerTools(tools, turn),
    agents.lendTools(agent, user, { choices: settings, has_begun: true }),
  ])
  const models = createModelChain(opened, {
    fallbacks: agents.readFallbackModels(agent),
    agent,
    user_id: user.id,
    locale,
    models: filteredModels,
    onNotice: writer.onNotice,
  })
  for (const origin of listOrigins({ agent, user, project: undefined, offered, borrowedTools }))
    asking.facts.material.note(origin)
  const facts = { ...asking.facts, agent_id, workspace: await agents.prepareWorkspace(agent_id) }
  return {
    call: (options, { call_id, authors }) =>
      models.ask({ call_id, account: { ...account, agent_id }, purpose: 'task', options }, authors),
    settings: toCallSettings(settings, opened.description),
    ...(settings.max_steps !== undefined && { max_steps: settings.max_steps }),
    system,
    tools: createTurnTools(cradle, {
      agent,
      user,
      allowed: thread.allowed_tools ?? [],
      offered,
      borrowedTools,
      choices: settings,
      remote: [],
      foundNames: [],
    }),
    facts,
    openAgent: (next) => openAskedAgent(next, { ...asking, agent, facts }, cradle),
    readPictures: (earlier) =>
      readImages({ agent_id, earlier, content: [] }, models.current, {
        extensions,
        onNotice: writer.onNotice,
      }),
    explain: (error) => describe(models.current.explain(error, locale)),
    async copyFile(path, media_type) {
      const question = { agent_id, max_bytes: MAX_COPIED_BYTES, paths: [path] }
      const [contents] = await extensions['agents.file_contents'].ask(question)
      const bytes = contents?.get(path)
      if (!bytes) return undefined
      const file = { bytes, filename: path.split('/').at(-1)!, media_type }
      return (await agents.receive(file, { agent_id: asking.agent._id, user_id: user.id }))?.path
    },
  }
}

/** Returns an agent that the account may use; null if there is none. */
async function findAgent(
  agent_id: string,
  user: TurnUser,
  { agents }: Cradle,
): Promise<AgentDocument | null> {
  try {
    return await agents.findVisible(user, agent_id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'AGENT_NOT_FOUND') return null
    throw error
  }
}
