import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ReadText } from '../documents/reading/blocks.ts'
import type { TextPart } from '../documents/reading/text-parts.ts'
import type { Cradle } from './manifest.ts'

/** The age from which a file without a document must be the remains of a crash, in milliseconds. */
const ABANDONED_MS = 3600_000

/** The contents of documents and their texts, as files below the home, by the version of the content. */
export type DocumentFiles = ReturnType<typeof createDocumentFiles>

/** Creates the store of files. */
export function createDocumentFiles({ server }: Pick<Cradle, 'server'>) {
  const folder = join(server.home, 'knowledge', 'documents')
  const contentOf = (version: string) => join(folder, version)
  const textOf = (version: string) => join(folder, `${version}.json`)
  const prepare = () => mkdir(folder, { recursive: true, mode: 0o700 })

  return {
    contentOf,
    textOf,
    prepare,

    /** Takes over a file as the content of a version. */
    async adopt(path: string, version: string): Promise<void> {
      await prepare()
      await rename(path, contentOf(version))
    },

    /** Returns a text as it was read; undefined if it is not stored. */
    async readText(version: string): Promise<ReadText | undefined> {
      try {
        const parts: TextPart[] = []
        const lines = createInterface({ input: createReadStream(textOf(version)), crlfDelay: Infinity })
        for await (const line of lines) parts.push(JSON.parse(line))
        return {
          text: parts.map(({ text }) => text).join(''),
          segments: parts.flatMap(({ segments }) => segments),
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },

    hasText: (version: string): Promise<boolean> =>
      stat(textOf(version)).then(
        () => true,
        () => false,
      ),

    async remove(versions: Iterable<string>): Promise<void> {
      for (const version of versions)
        for (const path of [contentOf(version), textOf(version), `${textOf(version)}.part`])
          await rm(path, { force: true })
    },

    /** Lists the versions whose files have been there for a while. */
    async listOld(now: number): Promise<string[]> {
      const versions = new Set<string>()
      for (const name of await readdir(folder).catch(() => [])) {
        const stats = await stat(join(folder, name)).catch(() => undefined)
        if (stats && now - stats.mtimeMs > ABANDONED_MS) versions.add(name.replace(/\.json(\.part)?$/, ''))
      }
      return [...versions]
    },
  }
}

/** Returns the SHA-256 of a file in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
