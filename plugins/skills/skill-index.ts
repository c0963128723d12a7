import { type BigIntStats, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#kernel'
import { cut, HEAD_BYTES, readHead } from './front-matter.ts'
import type { Cradle } from './manifest.ts'
import { SKILL_FILE } from './shelf.ts'
import type { Shelves } from './shelves.ts'
import { readText } from './skill-facts.ts'
import { AWAY, codeOf, DENIED } from './system-errors.ts'

const MAX_SKILLS = 64
/** Folders that may become skills at any time, so that each turn looks for their SKILL.md. */
const MAX_FOLDERS = 128
const MAX_WORKSPACES = 256
const DESCRIPTION_LENGTH = 300
/** A file that was this young when it was read may have changed since without another time stamp. */
const YOUNG_MS = 50n

const HEADING =
  'Skills are folders of instructions in the workspace. Before a task that one of them is for, ' +
  'read its SKILL.md with read_file and go by it:'

/** The line of one skill, and what its SKILL.md was when the line was made; null where it was none. */
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

/** What agents are told of the skills in their workspaces. */
export type SkillIndex = ReturnType<typeof createSkillIndex>

/** Makes the index, which reads a file again only when it has changed. */
export function createSkillIndex({ shelves, log }: { shelves: Shelves } & Pick<Cradle, 'log'>) {
  const indexes = new Map<string, Index>()

  const keep = (workspace: string, index: Index) => {
    indexes.delete(workspace)
    indexes.set(workspace, index)
    if (indexes.size > MAX_WORKSPACES) indexes.delete(indexes.keys().next().value!)
  }

  /** The names of the folders that are, or may become, skills. */
  const listFolders = async (workspace: string) =>
    (await shelves.read(workspace, (shelf) => shelf.listFolders(MAX_FOLDERS))) ?? []

  const readLine = async (workspace: string, slug: string): Promise<string | null> => {
    const text = await ifSkill(
      shelves.read(workspace, (shelf) => shelf.use(slug, (skill) => readText(skill, HEAD_BYTES))),
    )
    if (text === undefined) return null
    const description = cut((await readHead(text)).description, DESCRIPTION_LENGTH)
    return `- ${slug}:${description && ` ${description}`} (skills/${slug}/${SKILL_FILE})`
  }

  /** The line of a skill, the one that is known where nothing has changed. */
  const refreshLine = async (workspace: string, slug: string, known: Line | undefined): Promise<Line> => {
    const stats = look(join(workspace, 'skills', slug, SKILL_FILE))
    const stamp = stats?.isFile() ? stampOf(stats) : ''
    if (known && known.stamp === stamp) return known
    return { stamp, text: stamp ? await readLine(workspace, slug) : null }
  }

  const refresh = async (workspace: string): Promise<Index | undefined> => {
    const stats = look(join(workspace, 'skills'))
    if (!stats?.isDirectory()) return undefined
    const known = indexes.get(workspace)
    const stamp = stampOf(stats)
    const folders = known?.stamp === stamp ? known.folders : await listFolders(workspace)
    const lines = new Map(
      await Promise.all(
        folders.map(
          async (slug) => [slug, await refreshLine(workspace, slug, known?.lines.get(slug))] as const,
        ),
      ),
    )
    const isSame =
      known?.lines.size === lines.size && folders.every((slug) => known.lines.get(slug) === lines.get(slug))
    return { stamp, folders, lines, text: isSame ? known.text : describe(lines) }
  }

  return {
    /** What a system prompt says of the skills in a workspace; undefined where there are none. */
    async describe(workspace: string): Promise<string | undefined> {
      try {
        const index = await refresh(workspace)
        if (index) keep(workspace, index)
        else indexes.delete(workspace)
        return index?.text
      } catch (error) {
        // Whatever a model has done to the folder, its turns go on.
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

/** Says what a file is; never the same twice for one that may have changed within the precision of its time stamps. */
function stampOf({ ino, ctimeNs, ctimeMs, size }: BigIntStats): string {
  const now = Date.now()
  return `${ino} ${ctimeNs} ${size}${BigInt(now) - ctimeMs < YOUNG_MS ? ` ${now}` : ''}`
}

/** Each turn looks: to have a thread do it would take ten times as long. */
function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if ([...AWAY, ...DENIED].includes(codeOf(error))) return undefined
    throw error
  }
}

async function ifSkill<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
