import { AppError } from '#plugin-api'
import type { AttachedDocument } from '../attached-documents.ts'
import type { Block, MessageDocument, MessageRange, ThreadDocument, TurnSettings } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { MessageHead } from './messages.ts'
import { createPaths, cutRanges, endOf, listOriginal, listRanges } from './paths.ts'

/** A turn that is a version: of a message of its user, or of the answer to one. */
export type VersionRequest = { replaces: string } | { regenerates: string | undefined }

/** The start of a version. */
export interface VersionStart {
  /** The path that it continues. */
  path: MessageRange[]
  /** The last message of the path. */
  after_message_id: string | null
  /** The message that is answered anew, and what was asked of the model with it. */
  answered?: AnsweredMessage
}

/** A message that is answered anew. */
interface AnsweredMessage {
  message_id: string
  content: Block[]
  documents?: AttachedDocument[]
  model?: string
  settings: TurnSettings
}

/** The versions of messages: the positions at which they branch off, and the paths that lead through them. */
export type Versions = ReturnType<typeof createVersions>

/** Creates the versions over the messages, whose branches define the tree of a thread. */
export function createVersions({ messages, ledger }: Pick<Cradle, 'messages' | 'ledger'>) {
  const readPaths = async (thread: ThreadDocument) =>
    createPaths(thread, await messages.listBranches(thread._id))

  /** Finds a message on any path of a thread. Throws MESSAGE_NOT_FOUND. */
  const findMessage = async (thread: ThreadDocument, message_id: string): Promise<MessageDocument> => {
    const message = await messages.findIn(listOriginal(thread), message_id)
    // The messages of an active turn are not stored yet, and no version can begin meanwhile.
    if (!message) throw new AppError('MESSAGE_NOT_FOUND')
    return message
  }

  /** Finds the message that an answer answers, the last one without a message_id. */
  const findAnswered = async (thread: ThreadDocument, message_id: string | undefined) => {
    let ranges = listRanges({ ...thread, active_turn: null })
    if (message_id !== undefined) {
      const message = await findMessage(thread, message_id)
      if (message.role !== 'assistant') throw new AppError('MESSAGE_NOT_FOUND')
      ranges = (await readPaths(thread)).pathTo(message.position)
    }
    const answered = await messages.findLast(ranges, 'user')
    if (!answered) throw new AppError('MESSAGE_NOT_FOUND')
    return answered
  }

  /** Reads what was chosen for the turn of a message; the settings of the agent hold as they are now. */
  const readChoices = async ({ thread_id, position }: MessageDocument) => {
    const started = await ledger.find(thread_id, position)
    const { temperature, top_p, max_output_tokens, max_steps, ...settings } = started?.settings ?? {}
    return { ...(started?.model && { model: started.model }), settings }
  }

  return {
    /** Finds an answer on any path of a thread, and the message that it answers, if there is one. Throws MESSAGE_NOT_FOUND. */
    async findAnswer(
      thread: ThreadDocument,
      message_id: string,
    ): Promise<{ answer: MessageDocument; question: MessageDocument | null }> {
      const answer = await findMessage(thread, message_id)
      if (answer.role !== 'assistant') throw new AppError('MESSAGE_NOT_FOUND')
      const ranges = (await readPaths(thread)).pathTo(answer.position)
      return { answer, question: await messages.findLast(ranges, 'user') }
    },
    /** Finds the start of a version. Throws MESSAGE_NOT_FOUND. */
    async findStart(thread: ThreadDocument, version: VersionRequest): Promise<VersionStart> {
      if ('regenerates' in version) {
        const message = await findAnswered(thread, version.regenerates)
        const { _id: message_id, position, content, documents } = message
        const [paths, choices] = await Promise.all([readPaths(thread), readChoices(message)])
        return {
          path: paths.pathTo(position),
          after_message_id: message_id,
          answered: { message_id, content, ...(documents && { documents }), ...choices },
        }
      }
      const { role, position } = await findMessage(thread, version.replaces)
      if (role !== 'user') throw new AppError('MESSAGE_NOT_FOUND')
      const paths = await readPaths(thread)
      const path = cutRanges(paths.pathTo(position), position - 1)
      const previous = path.length > 0 ? await messages.findLast(path) : null
      return { path, after_message_id: previous?._id ?? null }
    },
    /** Returns the path through a message to its newest descendant. Throws MESSAGE_NOT_FOUND. */
    async pathThrough(thread: ThreadDocument, message_id: string): Promise<MessageRange[]> {
      const { position } = await findMessage(thread, message_id)
      return (await readPaths(thread)).pathThrough(position)
    },
    /**
     * Lists the versions of these messages of a path, which follow each other, by the id of the message; oldest first, and
     * only if a message has several. `ranges` is the path.
     */
    async list(
      thread: ThreadDocument,
      ranges: readonly MessageRange[],
      shown: readonly MessageHead[],
    ): Promise<Map<string, string[]>> {
      const heads = shown.flatMap((message, index) => {
        if (message.role === 'user') return [{ message, after: positionBefore(ranges, message) }]
        const previous = shown[index - 1]
        const isHead = message.role === 'assistant' && previous?.role === 'user'
        return isHead ? [{ message, after: previous.position, turn_id: previous.turn_id }] : []
      })
      const branched = await messages.listVersions(
        thread._id,
        heads.map(({ after }) => after),
      )
      // Messages of a turn that runs are not stored yet.
      const siblings = [...branched, ...shown.filter(({ branch }) => branch)]
      const groups = await Promise.all(
        heads.map(async ({ message, ...branching }) => {
          const versions = siblings.filter(
            ({ branch, role }) => branch?.after === branching.after && role === message.role,
          )
          if (versions.length === 0) return []
          const original = message.branch ? await findOriginal(thread, branching) : message
          const byId = new Map([...versions, ...(original ? [original] : [])].map((head) => [head._id, head]))
          const oldestFirst = [...byId.values()].sort((a, b) => a.position - b.position)
          return byId.size > 1 ? [[message._id, oldestFirst.map(({ _id }) => _id)] as const] : []
        }),
      )
      return new Map(groups.flat())
    },
  }

  /**
   * Finds the message that followed a position before there were versions: the answer to the message of the turn
   * `turn_id`, or the next message of the user. What a fork begins with may itself be a version in its source.
   */
  async function findOriginal(
    thread: ThreadDocument,
    { after, turn_id }: { after: number; turn_id?: string },
  ): Promise<MessageHead | null> {
    const original = listOriginal(thread)
    const next = await messages.findFirst(original, after, turn_id === undefined ? 'user' : 'assistant')
    if (!next || (next.branch && next.thread_id === thread._id)) return null
    const isNext =
      turn_id === undefined
        ? positionBefore(original, next) === after
        : next.turn_id === turn_id || next.branch?.after === after
    return isNext ? next : null
  }
}

const positionBefore = (ranges: readonly MessageRange[], { position }: MessageHead): number =>
  endOf(cutRanges(ranges, position - 1))
