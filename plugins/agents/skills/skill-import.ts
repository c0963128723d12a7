import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { OpenFolder } from '#toolbox'
import type { ArchivedFile } from './archive.ts'
import type { Drafts } from './drafts.ts'
import { HEAD_BYTES, readHead } from './front-matter.ts'
import { SKILL_FILE } from './skill-folder.ts'
import { assertFits, createInvalid, createPathCheck, createTooLarge, isSlug, LIMITS } from './skill-rules.ts'
import type { SkillFile } from './types.ts'

type PlannedFile = Pick<ArchivedFile, 'names' | 'bytes' | 'isExecutable' | 'read'>

/** A skill to write; the paths of its files are relative to it. */
interface PlannedSkill {
  slug: string
  files: PlannedFile[]
}

/** Writes a skill that was sent as a list of files. Throws SKILL_ARCHIVE_INVALID or SKILL_TOO_LARGE. */
export async function importFiles(
  drafts: Drafts,
  slug: string,
  skillFiles: readonly SkillFile[],
): Promise<void> {
  const check = createPathCheck()
  const files = skillFiles.map((file): PlannedFile => {
    const bytes = 'content' in file ? Buffer.from(file.content) : Buffer.from(file.content_base64, 'base64')
    const read = async function* () {
      yield bytes
    }
    const isExecutable = file.executable === true
    return { names: check(file.path, false), bytes: bytes.length, isExecutable, read }
  })
  if (!isSkill(files)) throw createInvalid(`there is no ${SKILL_FILE}`)
  await writeSkills(drafts, [{ slug, files }])
}

/**
 * Writes the skills of a zip archive: one at its root if SKILL.md is there, or else one for each folder at its top. A
 * slug may be given for a single skill. By default it is made from the name of the folder, or for a skill at the root
 * from the name in its front matter or of the archive.
 */
export async function importArchive(
  drafts: Drafts,
  { path, filename }: { path: string; filename: string },
  slug?: string,
): Promise<void> {
  // Its library is loaded with the first archive, not at each start.
  const { readArchive } = await import('./archive.ts')
  await readArchive(path, async (files) => {
    const skills = isSkill(files)
      ? [{ slug: slug ?? (await nameRoot(files, filename)), files }]
      : planFolders(files, slug)
    await writeSkills(drafts, skills)
  })
}

const isSkill = (files: readonly PlannedFile[]) =>
  files.some(({ names }) => names.length === 1 && names[0] === SKILL_FILE)

function planFolders(files: readonly PlannedFile[], slug: string | undefined): PlannedSkill[] {
  const folders = new Map<string, PlannedFile[]>()
  for (const { names, ...file } of files) {
    const [top, ...below] = names as [string, ...string[]]
    if (below.length === 0) throw createInvalid(`it is not in a folder with a ${SKILL_FILE}`, top)
    const inside = folders.get(top) ?? []
    inside.push({ ...file, names: below })
    folders.set(top, inside)
  }
  if (folders.size === 0) throw createInvalid(`there is no ${SKILL_FILE}`)
  if (slug && folders.size > 1) throw createInvalid('a slug is given, but there are several skills')
  const skills = new Map<string, PlannedSkill>()
  for (const [folder, inside] of folders) {
    if (!isSkill(inside)) throw createInvalid(`there is no ${SKILL_FILE} in the folder`, folder)
    const own = slug ?? toSlug(folder)
    if (!own) throw createInvalid('the name of the folder cannot be made into a slug', folder)
    if (skills.has(own)) throw createInvalid('the names of two folders become the same slug', folder)
    skills.set(own, { slug: own, files: inside })
  }
  return [...skills.values()]
}

async function nameRoot(files: readonly PlannedFile[], filename: string): Promise<string> {
  const own = files.find(({ names }) => names.length === 1 && names[0] === SKILL_FILE)!
  let head = Buffer.alloc(0)
  for await (const chunk of own.read()) {
    head = Buffer.concat([head, chunk])
    if (head.length >= HEAD_BYTES) break
  }
  const { name } = await readHead(head.subarray(0, HEAD_BYTES).toString())
  const slug = toSlug(name ?? '') || toSlug(filename.replace(/\.zip$/i, ''))
  if (!slug) throw createInvalid('neither the name of the skill nor that of the file can be made into a slug')
  return slug
}

/** Converts a name to a slug, or to '' if it has no usable character. */
function toSlug(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 64)
    .replace(/-+$/, '')
  return isSlug(slug) ? slug : ''
}

async function writeSkills(drafts: Drafts, skills: readonly PlannedSkill[]): Promise<void> {
  for (const { files } of skills) {
    if (files.some(({ names }) => names.length > LIMITS.depth)) throw createTooLarge('depth')
    assertFits({ files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) })
  }
  const all = skills.flatMap(({ files }) => files)
  assertFits({ files: all.length, bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) }, 'package')
  let room = LIMITS.bytes
  for (const { slug, files } of skills) {
    const folder = await drafts.open(slug)
    for (const file of files) room -= await writeSkillFile(folder, file, room)
  }
}

/** Returns the number of bytes written, which are counted as they arrive. */
async function writeSkillFile(
  folder: OpenFolder,
  { names, isExecutable, read }: PlannedFile,
  room: number,
): Promise<number> {
  const path = folder.entry(names.join('/'))
  if (names.length > 1) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', isExecutable ? 0o700 : 0o600)
  try {
    let bytes = 0
    for await (const chunk of read()) {
      bytes += chunk.length
      if (bytes > room) throw createTooLarge('bytes', 'package')
      await file.writeFile(chunk)
    }
    return bytes
  } finally {
    await file.close()
  }
}
