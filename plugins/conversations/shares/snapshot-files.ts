import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, type FileReply, removeTree, unlessMissing } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { NamedFile, SnapshotDocument, SnapshotFile } from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The most files of a snapshot; further ones are left out. */
const MAX_FILES = 50
/** The largest file of a snapshot, the same as for uploads; larger ones are left out. */
const MAX_FILE_BYTES = 20 * 1024 * 1024
/** The most bytes of all files of a snapshot. */
const MAX_BYTES = 100 * 1024 * 1024
/** The age from which a folder without a snapshot must be the remains of a crash, in milliseconds. */
const ABANDONED_MS = 3_600_000

/** Copies of files, in a folder for each snapshot below the home. */
export type SnapshotFiles = ReturnType<typeof createSnapshotFiles>

/** Creates the store of files. */
export function createSnapshotFiles({
  agents,
  extensions,
  ids,
  limits,
  server,
}: Pick<Cradle, 'agents' | 'extensions' | 'ids' | 'limits' | 'server'>) {
  const root = join(server.home, 'shares')
  const folderOf = (snapshot_id: string) => join(root, snapshot_id)

  /** True for a file that the caller may read: any for the owner of the agent, for guests the files of their threads. */
  const mayRead = async (agent: AgentDocument, caller: AuthCaller, path: string): Promise<boolean> => {
    if (agents.mayEdit(agent, caller)) return true
    const question = { agent_id: agent._id, user_id: caller.id, path }
    return (await extensions['agents.named_files'].ask(question)).flat().includes(path)
  }

  const readContent = async (agent_id: string, path: string): Promise<Uint8Array | undefined> => {
    const question = { agent_id, max_bytes: MAX_FILE_BYTES, paths: [path] }
    const contents = await extensions['agents.file_contents'].ask(question)
    return contents.map((files) => files.get(path)).find((bytes) => bytes !== undefined)
  }

  return {
    /**
     * Copies files of an agent's workspace as they are now; files that are missing, that the caller may not read and
     * that are too many or too large are left out. Throws LIMIT_REACHED if the account has no room for them.
     */
    async copy(
      snapshot_id: string,
      files: readonly NamedFile[],
      { agent, caller, used }: { agent: AgentDocument; caller: AuthCaller; used: number },
    ): Promise<SnapshotFile[]> {
      const copied: SnapshotFile[] = []
      let bytes = 0
      for (const file of files.slice(0, MAX_FILES)) {
        if (!(await mayRead(agent, caller, file.path))) continue
        const content = await readContent(agent._id, file.path)
        if (!content || bytes + content.length > MAX_BYTES) continue
        bytes += content.length
        limits.assertRoom('shared_bytes', used + bytes - 1)
        const file_id = ids.make('fil_')
        await mkdir(folderOf(snapshot_id), { recursive: true, mode: 0o700 })
        await writeFile(join(folderOf(snapshot_id), file_id), content, { mode: 0o600 })
        copied.push({ ...file, file_id, size: content.length })
      }
      return copied
    },

    read: ({ _id }: SnapshotDocument, { file_id }: SnapshotFile): Promise<Buffer> =>
      readFile(join(folderOf(_id), file_id)),

    /** Opens a file of a snapshot for a reply. Throws NOT_FOUND. */
    async open(snapshot: SnapshotDocument, file_id: string): Promise<FileReply> {
      const listed = snapshot.files.find((file) => file.file_id === file_id)
      if (!listed) throw new AppError('NOT_FOUND')
      const { filename, media_type, size } = listed
      try {
        const file = await open(join(folderOf(snapshot._id), file_id))
        return { filename, media_type, size, etag: file_id, is_inline: false, file }
      } catch (error) {
        // The snapshot was removed meanwhile.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new AppError('NOT_FOUND')
        throw error
      }
    },

    remove: (snapshot_id: string): Promise<void> => removeTree(folderOf(snapshot_id)),

    /** Lists the snapshots whose folders have been there for a while. */
    async listOld(now: number): Promise<string[]> {
      const names: string[] = []
      for (const name of (await unlessMissing(readdir(root))) ?? []) {
        const stats = await unlessMissing(stat(join(root, name)))
        if (stats && now - stats.mtimeMs > ABANDONED_MS) names.push(name)
      }
      return names
    },
  }
}
