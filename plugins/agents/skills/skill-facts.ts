import { isUtf8 } from 'node:buffer'
import { AppError, type OpenFolder, type Page, type PageRequest, pageOf } from '#plugin-api'
import { codeOf, DENIED, MISSING } from './file-errors.ts'
import { decodeHead, HEAD_BYTES, readHead } from './front-matter.ts'
import { SKILL_FILE, type SkillFolder } from './skill-folder.ts'
import { explainTreeErrors, LIMITS } from './skill-rules.ts'
import { listTree, readTree, TreeLimitError } from './tree-copy.ts'
import type { SkillFacts, SkillFile } from './types.ts'

const MAX_TEXT_BYTES = 256 * 1024

/** The most bytes of contents in one reply: the default limit of a request body. */
const MAX_CONTENTS_BYTES = 1024 * 1024

/** A skill with the text of its SKILL.md, the paths of its files and, if requested, their contents. */
export type SkillDetail = SkillFacts & { content: string; paths: string[]; contents?: SkillFile[] }

/** Reads the facts of a skill from its open folder; counting stops soon after a limit is exceeded. */
export async function readFacts(slug: string, skill: OpenFolder): Promise<SkillFacts> {
  const { paths, ...facts } = await examine(slug, skill)
  return facts
}

/** Reads the detail of a skill; with `contents` throws SKILL_CONTENTS_TOO_LARGE. */
export async function readDetail(
  slug: string,
  skill: OpenFolder,
  { contents }: { contents: boolean },
): Promise<SkillDetail> {
  const [facts, content] = await Promise.all([examine(slug, skill), readText(skill, MAX_TEXT_BYTES)])
  return { ...facts, content, ...(contents && { contents: await readContents(skill) }) }
}

async function readContents(skill: OpenFolder): Promise<SkillFile[]> {
  const files = await explainTreeErrors(() =>
    readTree(skill, { limits: { ...LIMITS, bytes: MAX_CONTENTS_BYTES } }).catch((error) => {
      if (!(error instanceof TreeLimitError) || error.limit !== 'bytes') throw error
      throw new AppError('SKILL_CONTENTS_TOO_LARGE', { max_bytes: MAX_CONTENTS_BYTES })
    }),
  )
  return files.map(({ path, content, isExecutable }) => ({
    path,
    ...(isUtf8(content) ? { content: content.toString() } : { content_base64: content.toString('base64') }),
    ...(isExecutable && { executable: true }),
  }))
}

/** The page of skills of a folder that does not exist. */
export const NO_SKILLS: Page<never> = { rows: [], next: null }

/** Lists facts of skills by slug; omits skills that are removed meanwhile. */
export async function listFacts(skills: SkillFolder, page: PageRequest): Promise<Page<SkillFacts>> {
  const rows: SkillFacts[] = []
  const { rows: slugs, next } = pageOf(await skills.list(), (slug) => slug, page)
  for (const slug of slugs) {
    try {
      rows.push(await skills.use(slug, (skill) => readFacts(slug, skill)))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  return { rows, next }
}

async function examine(slug: string, skill: OpenFolder): Promise<SkillFacts & { paths: string[] }> {
  const head = await readHead(await readText(skill, HEAD_BYTES))
  const { files } = await explainTreeErrors(() => listTree(skill, { limits: LIMITS }))
  return {
    slug,
    name: head.name ?? slug,
    description: head.description,
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    updated_at: files.reduce((latest, { mtime }) => Math.max(latest, mtime), 0),
    paths: files.map(({ path }) => path),
  }
}

/** Reads the beginning of SKILL.md, without a cut character; throws SKILL_NOT_FOUND or SKILL_UNREADABLE. */
export async function readText(skill: OpenFolder, maxBytes: number): Promise<string> {
  try {
    const file = await skill.openFile(SKILL_FILE)
    try {
      if (!(await file.stat()).isFile()) throw new AppError('SKILL_NOT_FOUND')
      const buffer = Buffer.alloc(maxBytes)
      let length = 0
      for (let more = 1; more > 0 && length < maxBytes; length += more)
        more = (await file.read(buffer, length, maxBytes - length, length)).bytesRead
      return decodeHead(buffer.subarray(0, length))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (DENIED.includes(codeOf(error))) throw new AppError('SKILL_UNREADABLE', { path: SKILL_FILE })
    if ([...MISSING, 'ENXIO'].includes(codeOf(error))) throw new AppError('SKILL_NOT_FOUND')
    throw error
  }
}
