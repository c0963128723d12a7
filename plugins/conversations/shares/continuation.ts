import { AppError, encodeLinkPath, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Artifact, Block, ThreadDocument } from '../chat/documents.ts'
import type { EarlierStep, EarlierTurn } from '../chat/threads/earlier-turns.ts'
import {
  isFileBlock,
  type NamedFile,
  type SnapshotDocument,
  type StoredBlock,
  type StoredMessage,
} from './documents.ts'
import type { Cradle } from './manifest.ts'
import { listNamedFiles } from './snapshot-messages.ts'

/** The codes with which a workspace refuses a file. */
const REFUSALS = ['LIMIT_REACHED', 'WORKSPACE_UNUSABLE']

const LEFT_OUT: Record<Locale, (name: string) => string> = {
  en: (name) => `[File not copied: ${name}]`,
  zh: (name) => `[文件未复制：${name}]`,
}

/** A thread that continues a share, and the names of the files that it lacks. */
export interface Continuation {
  thread: ThreadDocument
  files_left_out: string[]
}

/**
 * Begins a thread of the caller with a shared conversation. Its files are copied into the workspace of the agent; the
 * text says which of them are not. Throws LIMIT_REACHED if the account has too many threads.
 */
export async function continueShare(
  {
    snapshot,
    agent,
    caller,
    locale,
  }: {
    snapshot: SnapshotDocument
    agent: AgentDocument
    caller: AuthCaller
    locale: Locale
  },
  cradle: Pick<Cradle, 'agents' | 'log' | 'snapshotFiles' | 'snapshots' | 'threadArchive'>,
): Promise<Continuation> {
  const owner = { user_id: caller.id, agent_id: agent._id }
  const messages = await cradle.snapshots.readMessages(snapshot._id)
  const named = listNamedFiles(messages)
  const copies = await copyFiles(snapshot, owner, cradle)
  const leftOut = named.filter(({ path }) => !copies.has(path))
  const turns = toTurns(messages, { copies, describeLeftOut: ({ filename }) => LEFT_OUT[locale](filename) })
  const artifacts: Artifact[] = [...copies.values()]
  const { thread } = await cradle.threadArchive.createWithTurns(owner, turns, {
    ...(snapshot.title !== null && { title: snapshot.title }),
    ...(artifacts.length > 0 && { artifacts }),
  })
  return { thread, files_left_out: leftOut.map(({ filename }) => filename) }
}

/** Copies the files of a snapshot into a workspace; returns their new names by their old paths. */
async function copyFiles(
  snapshot: SnapshotDocument,
  owner: { user_id: string; agent_id: string },
  { agents, log, snapshotFiles }: Pick<Cradle, 'agents' | 'log' | 'snapshotFiles'>,
): Promise<Map<string, NamedFile>> {
  const copies = new Map<string, NamedFile>()
  for (const file of snapshot.files) {
    const { filename, media_type } = file
    try {
      const bytes = await snapshotFiles.read(snapshot, file)
      const stored = await agents.receive({ bytes, filename, media_type }, owner)
      if (stored)
        copies.set(file.path, { path: stored.path, filename: stored.filename, media_type: stored.media_type })
    } catch (error) {
      if (!(error instanceof AppError && REFUSALS.includes(error.code))) throw error
      // A full workspace refuses the other files as well.
      log.info({ ...owner, code: error.code }, 'files of a shared conversation were not copied')
      break
    }
  }
  return copies
}

interface FileChanges {
  copies: ReadonlyMap<string, NamedFile>
  describeLeftOut(file: NamedFile): string
}

/** Groups messages to turns, each of which begins with a message of a user. */
function toTurns(messages: readonly StoredMessage[], changes: FileChanges): EarlierTurn[] {
  const turns = new Map<string, { input: Block[]; steps: EarlierStep[] }>()
  for (const message of messages) {
    if (!turns.has(message.turn_id)) turns.set(message.turn_id, { input: [], steps: [] })
    const { input, steps } = turns.get(message.turn_id)!
    if (message.role === 'user') input.push(...message.content.flatMap((block) => toInput(block, changes)))
    else if (message.role === 'assistant') steps.push(toStep(message, changes))
    else addResults(steps, message)
    const missing = (message.artifacts ?? []).filter(({ path }) => !changes.copies.has(path))
    const step = steps.at(-1)
    if (step) for (const file of missing) step.text += `\n\n${changes.describeLeftOut(file)}`
  }
  return [...turns.values()]
    .map(({ input, steps }) => ({
      input,
      is_copied: true as const,
      steps: steps.map(dropUnanswered).filter(isFilled),
    }))
    .filter(({ input, steps }) => input.length > 0 || steps.length > 0)
}

function toInput(block: StoredBlock, changes: FileChanges): Block[] {
  if (block.type === 'text') return [block]
  if (!isFileBlock(block)) return []
  const copy = changes.copies.get(block.path)
  return [copy ? { type: block.type, ...copy } : { type: 'text', text: changes.describeLeftOut(block) }]
}

const toStep = ({ content }: StoredMessage, { copies }: FileChanges): EarlierStep => ({
  text: moveLinks(content.map((block) => (block.type === 'text' ? block.text : '')).join(''), copies),
  calls: content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
  ),
  results: [],
})

/** Adds the results of a message to the step that called the tools. */
function addResults(steps: readonly EarlierStep[], { content }: StoredMessage): void {
  for (const block of content)
    if (block.type === 'tool_result') {
      const { id, name, output } = block
      const step = steps.findLast(({ calls, results }) => {
        const isOpen = !results.some((result) => result.id === id)
        return isOpen && calls.some((call) => call.id === id)
      })
      step?.results.push({ id, name, output })
    }
}

/** Leaves out calls without a result, which no model accepts in its history. */
const dropUnanswered = ({ calls, ...step }: EarlierStep): EarlierStep => ({
  ...step,
  calls: calls.filter(({ id }) => step.results.some((result) => result.id === id)),
})

const isFilled = ({ text, calls }: EarlierStep): boolean => text !== '' || calls.length > 0

/** Has the links of an answer lead to the copies of the files. */
function moveLinks(text: string, copies: ReadonlyMap<string, NamedFile>): string {
  let moved = text
  for (const [path, copy] of copies)
    for (const written of new Set([path, encodeLinkPath(path)]))
      if (path !== copy.path)
        for (const end of [')', '#'])
          moved = moved.replaceAll(`](${written}${end}`, `](${encodeLinkPath(copy.path)}${end}`)
  return moved
}
