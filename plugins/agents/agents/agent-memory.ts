import type { Collection } from 'mongodb'
import { AppError, createRecentValues, type GuardRequest, isGrantedTo, WRITING_METHODS } from '#plugin-api'
import { type AskableAgent, createAskable } from './askable.ts'
import type { Cradle } from './manifest.ts'
import type { AgentDocument, Viewer } from './types.ts'

/** The maximum age of the list of other agents that models read, in milliseconds. */
const ASKABLE_AGE_MS = 10_000

/** Creates the search for agents that callers may see, from the database or from memory. */
export function createAgentMemory({ collections }: Pick<Cradle, 'collections'>) {
  const { agents } = collections
  const listAskable = createAskable({ collections })
  const find = async ({ id, role, groups }: Viewer, key: string): Promise<AgentDocument | undefined> => {
    const visible = role === 'admin' ? {} : { $or: [{ owner_id: id }, isGrantedTo({ id, groups })] }
    const filter = {
      $or: [
        { _id: key, ...visible },
        { owner_id: id, name: key },
      ],
    }
    const candidates = await agents.find(filter).limit(2).toArray()
    return candidates.find(({ _id }) => _id === key) ?? candidates[0]
  }

  const recent = createRecentValues(async (viewings) => {
    const findViewed = (text: string) => {
      const [id, role, groups, key] = JSON.parse(text)
      return find({ id, role, groups }, key)
    }
    return new Map(viewings.map((text) => [text, findViewed(text)]))
  })

  const askable = createRecentValues<AskableAgent[]>(
    async (questions) =>
      new Map(
        questions.map((text) => [text, listAskable(...(JSON.parse(text) as Parameters<typeof listAskable>))]),
      ),
    undefined,
    ASKABLE_AGE_MS,
  )
  const dropRecent = () => {
    recent.drop()
    askable.drop()
  }

  const read = ({ id, role, groups }: Viewer, key: string) =>
    recent.get(JSON.stringify([id, role, groups, key]))

  const refuse = (): never => {
    throw new AppError('AGENT_NOT_FOUND')
  }

  return {
    /** The agents for all writes of this plugin, which drop what is remembered. */
    agents: announceWrites(agents, dropRecent),

    /** Drops what is remembered, because another process has changed an agent. */
    dropRecent,

    /** Lists the agents that another one can ask for an account; see `createAskable`. */
    listAskable,

    /** Does the same as of at most ten seconds ago, but never from before a change of an agent by this process. */
    listRecentlyAskable: async (...question: Parameters<typeof listAskable>): Promise<AskableAgent[]> =>
      (await askable.get(JSON.stringify(question))) ?? [],

    /**
     * Finds an agent by its id, or by its name among the user's own. Throws AGENT_NOT_FOUND if it does not exist or the
     * user may not see it.
     */
    findVisible: async (viewer: Viewer, key: string): Promise<AgentDocument> =>
      (await find(viewer, key)) ?? refuse(),

    /** Does the same as of at most 300 ms ago, but never from before a change by this process. */
    findRecent: async (viewer: Viewer, key: string): Promise<AgentDocument> =>
      (await read(viewer, key)) ?? refuse(),

    /**
     * Does the same for a request; one that only reads, or opens a socket, may find the agent as it was at most 300 ms
     * ago, but never from before a change by this process.
     */
    async findRequested(
      { method }: Pick<GuardRequest, 'method'>,
      viewer: Viewer,
      key: string,
    ): Promise<AgentDocument> {
      return (await (method === 'GET' ? read : find)(viewer, key)) ?? refuse()
    },
  }
}

/** Returns a collection that calls `onWritten` after each write, also one that fails. */
function announceWrites(
  collection: Collection<AgentDocument>,
  onWritten: () => void,
): Collection<AgentDocument> {
  const announced = WRITING_METHODS.map((name) => {
    const write = collection[name].bind(collection) as (...given: unknown[]) => Promise<unknown>
    return [name, (...given: unknown[]) => write(...given).finally(onWritten)]
  })
  return Object.assign(Object.create(collection), Object.fromEntries(announced))
}
