import { type BigIntStats, constants, lstatSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeText } from './files/file-facts.ts'
import { assertRegular } from './files/workspace-path.ts'
import type { Cradle } from './manifest.ts'

const NAME = 'AGENTS.md'
/** Follows no link, and does not wait for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const MAX_BYTES = 32 * 1024
const MAX_KEPT = 256

const HEADING = `The file ${NAME} of your workspace, what its owner wants whoever works there to know:`

/** The content of one agent's file; `text` is null if it could not be used. */
interface KeptNotes {
  version: string
  text: string | null
}

/**
 * Creates the reader that adds the AGENTS.md of a workspace to the system prompt. It keeps the text, and reads the file
 * again only when it has changed.
 */
export function createWorkspaceNotes() {
  /** The notes by agent, in the order of use. */
  const notesByAgent = new Map<string, KeptNotes>()

  const keep = (agent_id: string, notes: KeptNotes) => {
    notesByAgent.delete(agent_id)
    notesByAgent.set(agent_id, notes)
    if (notesByAgent.size > MAX_KEPT) notesByAgent.delete(notesByAgent.keys().next().value!)
    return notes.text
  }

  async function read(
    agent_id: string,
    { agents, log }: Pick<Cradle, 'agents' | 'log'>,
  ): Promise<string | null> {
    const workspace = agents.workspaceOf(agent_id)
    const last = notesByAgent.get(agent_id)
    /** Logs once for each reason or version of the file. */
    const leaveOut = (version: string, reason: unknown) => {
      if (last?.version !== version) log.warn({ agent_id, reason }, `${NAME} of a workspace is ignored`)
      return keep(agent_id, { version, text: null })
    }
    try {
      const path = join(workspace, NAME)
      // Synchronous, as each turn does it and the asynchronous call takes ten times as long.
      const present = lstatSync(path, { bigint: true, throwIfNoEntry: false })
      if (!present) {
        notesByAgent.delete(agent_id)
        return null
      }
      if (last?.version === createVersion(present)) return keep(agent_id, last)
      const { file, stats } = await assertRegular(await open(path, FLAGS), NAME)
      const version = createVersion(stats)
      try {
        const bytes = Buffer.alloc(MAX_BYTES)
        const { bytesRead } = await file.read(bytes, 0, MAX_BYTES, 0)
        const text = decodeText(bytes.subarray(0, bytesRead), { stream: stats.size > MAX_BYTES })
        if (text === undefined) return leaveOut(version, 'it is not UTF-8 text')
        const note = stats.size > MAX_BYTES ? `\n[cut at ${MAX_BYTES} of ${stats.size} bytes]` : ''
        return keep(agent_id, {
          version,
          text: text.trim() ? `${HEADING}\n\n${text.trimEnd()}${note}` : null,
        })
      } finally {
        await file.close()
      }
    } catch (error) {
      return leaveOut((error as NodeJS.ErrnoException).code ?? 'unreadable', error)
    }
  }

  return {
    async instruct({ agent }: { agent: { _id: string } }, cradle: Pick<Cradle, 'agents' | 'log'>) {
      const text = await read(agent._id, cradle)
      return text === null ? undefined : { notes: [text] }
    },
    forget: (agent_id: string) => void notesByAgent.delete(agent_id),
  }
}

const createVersion = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':')
