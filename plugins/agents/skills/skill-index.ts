import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#plugin-api'
import { codeOf, DENIED, MISSING } from './file-errors.ts'
import { cut, HEAD_BYTES, readHead } from './front-matter.ts'
import type { Cradle } from './manifest.ts'
import { readText } from './skill-facts.ts'
import { SKILL_FILE } from './skill-folder.ts'
import type { SkillStore } from './skill-store.ts'

const MAX_SKILLS = 64
/** Any folder may become a skill at any time, so each turn checks so many of them for a SKILL.md. */
const MAX_FOLDERS = 128
const MAX_WORKSPACES = 256
const MAX_DESCRIPTION_CHARS = 300
/** A file read within this time of its change may change again without a new time stamp. */
const YOUNG_MS = 50n

const HEADING =
  'Skills are folders of instructions in the workspace. Before a task that one of them is for, ' +
  'read its SKILL.md with read_file and go by it:'

/** The line of a folder with the stamp of its SKILL.md; `text` is null if the folder is not a skill. */
interface Line {
  stamp: string
  text: string | null
}

interface Index {
  stamp: string
  folders: string[]
  lines: Map<string, Line>
  text: string | undefined
}

/** The index of the skills in each workspace, for system prompts. */
export type SkillIndex = ReturnType<typeof createSkillIndex>

/** Creates the index, which reads a file again only when it has changed. */
export function createSkillIndex({ skillStore, log }: { skillStore: SkillStore } & Pick<Cradle, 'log'>) {
  const indexes = new Map<string, Index>()

  const keep = (workspace: string, index: Index) => {
    indexes.delete(workspace)
    indexes.set(workspace, index)
    if (indexes.size > MAX_WORKSPACES) indexes.delete(indexes.keys().next().value!)
  }

  /** Lists the names of folders that are or may become skills. */
  const listFolders = async (workspace: string) =>
    (await skillStore.read(workspace, (skills) => skills.listFolders(MAX_FOLDERS))) ?? []

  const readLine = async (workspace: string, slug: string): Promise<string | null> => {
    const text = await unlessRefused(
      skillStore.read(workspace, (skills) => skills.use(slug, (skill) => readText(skill, HEAD_BYTES))),
    )
    if (text === undefined) return null
    const description = cut((await readHead(text)).description, MAX_DESCRIPTION_CHARS)
    return `- ${slug}:${description && ` ${description}`} (skills/${slug}/${SKILL_FILE})`
  }

  /** Returns the line of a skill, from memory if its file has not changed. */
  const refreshLine = async (
    workspace: string,
    slug: string,
    remembered: Line | undefined,
  ): Promise<Line> => {
    const stats = readStats(join(workspace, 'skills', slug, SKILL_FILE))
    const stamp = stats?.isFile() ? createStamp(stats) : ''
    if (remembered && remembered.stamp === stamp) return remembered
    return { stamp, text: stamp ? await readLine(workspace, slug) : null }
  }

  const refresh = async (workspace: string): Promise<Index | undefined> => {
    const stats = readStats(join(workspace, 'skills'))
    if (!stats?.isDirectory()) return undefined
    const previous = indexes.get(workspace)
    const stamp = createStamp(stats)
    const folders = previous?.stamp === stamp ? previous.folders : await listFolders(workspace)
    const lines = new Map(
      await Promise.all(
        folders.map(
          async (slug) => [slug, await refreshLine(workspace, slug, previous?.lines.get(slug))] as const,
        ),
      ),
    )
    const isSame =
      previous?.lines.size === lines.size &&
      folders.every((slug) => previous.lines.get(slug) === lines.get(slug))
    return { stamp, folders, lines, text: isSame ? previous.text : describe(lines) }
  }

  return {
    /** Returns the section of a system prompt on the skills in a workspace, or undefined without skills. */
    async describe(workspace: string): Promise<string | undefined> {
      try {
        const index = await refresh(workspace)
        if (index) keep(workspace, index)
        else indexes.delete(workspace)
        return index?.text
      } catch (error) {
        // Whatever a model has done to the folder, its turns must continue.
        if (!(error instanceof AppError) && !codeOf(error)) throw error
        log.warn({ error, workspace }, 'the skills of a workspace cannot be listed')
        return undefined
      }
    },

    forget: (workspace: string) => void indexes.delete(workspace),
  }
}

function describe(lines: ReadonlyMap<string, Line>): string | undefined {
  const texts = [...lines.values()].flatMap(({ text }) => text ?? []).slice(0, MAX_SKILLS)
  return texts.length > 0 ? [HEADING, ...texts].join('\n') : undefined
}

/** Identifies a version of a file; unique if the file may have changed within the precision of its time stamps. */
function createStamp({ ino, ctimeNs, ctimeMs, size }: BigIntStats): string {
  const now = Date.now()
  return `${ino} ${ctimeNs} ${size}${BigInt(now) - ctimeMs < YOUNG_MS ? ` ${now}` : ''}`
}

/** Synchronous, as each turn calls it and the asynchronous call takes ten times as long. */
function readStats(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if ([...MISSING, ...DENIED].includes(codeOf(error))) return undefined
    throw error
  }
}

async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
