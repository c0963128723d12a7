import type { ArchivedFile } from './archive.ts'
import { decodeHead, HEAD_BYTES, readHead } from './front-matter.ts'
import { SKILL_FILE } from './skill-folder.ts'
import { createInvalid, isSlug } from './skill-rules.ts'

/** A skill of an archive; the paths of its files are relative to it. */
interface ArchivedSkill {
  slug: string
  files: ArchivedFile[]
}

/**
 * Finds the skills of an archive: the outermost folders with a SKILL.md, of which those below a folder `skills` at the
 * top are preferred. The top may be inside a single folder, as in archives of repositories. Other files are ignored. A
 * slug may be given for a single skill. By default it is made from the name of the folder, or for a skill at the root
 * from the name in its front matter or of the archive. Throws SKILL_ARCHIVE_INVALID.
 */
export async function findSkills(
  files: readonly ArchivedFile[],
  { filename, slug }: { filename: string; slug: string | undefined },
): Promise<ArchivedSkill[]> {
  const filesByFolder = groupBySkill(files)
  if (filesByFolder.size === 0) throw createInvalid(`there is no ${SKILL_FILE}`)
  if (slug && filesByFolder.size > 1) throw createInvalid('a slug is given, but there are several skills')
  const skills = new Map<string, ArchivedSkill>()
  for (const [folder, inside] of filesByFolder) {
    for (const file of inside) file.assertPlain()
    const own = slug ?? (await nameSkill(folder, inside, filename))
    if (skills.has(own)) throw createInvalid('the names of two folders become the same slug', folder)
    skills.set(own, { slug: own, files: inside })
  }
  return [...skills.values()]
}

/** True for the file that makes its folder a skill, in any case. */
export const isSkillFile = (name: string): boolean => name.toUpperCase() === SKILL_FILE.toUpperCase()

/** Groups the files of skills by the path of their skill's folder, which is '' for the root of the archive. */
function groupBySkill(files: readonly ArchivedFile[]): Map<string, ArchivedFile[]> {
  const folders = new Set(
    files.filter(({ names }) => isSkillFile(names.at(-1)!)).map(({ names }) => names.slice(0, -1).join('/')),
  )
  const groups = new Map<string, ArchivedFile[]>()
  for (const file of files) {
    const depth = file.names.findIndex((_, depth) => folders.has(file.names.slice(0, depth).join('/')))
    if (depth < 0) continue
    const folder = file.names.slice(0, depth).join('/')
    const names = file.names.slice(depth)
    if (names.length === 1 && isSkillFile(names[0]!)) names[0] = SKILL_FILE
    const group = groups.get(folder) ?? []
    group.push({ ...file, names })
    groups.set(folder, group)
  }
  const preferred = `${findTop(files)}skills/`
  const isPreferred = [...groups.keys()].some((folder) => folder.startsWith(preferred))
  return isPreferred ? new Map([...groups].filter(([folder]) => folder.startsWith(preferred))) : groups
}

/** Returns the folder that all files are in, with a slash, or ''. */
function findTop(files: readonly ArchivedFile[]): string {
  const [top] = files[0]?.names ?? []
  return files.every(({ names }) => names.length > 1 && names[0] === top) ? `${top}/` : ''
}

async function nameSkill(folder: string, files: readonly ArchivedFile[], filename: string): Promise<string> {
  if (folder === '') {
    const slug = (await readSlug(files)) || toSlug(filename.replace(/\.(zip|skill)$/i, ''))
    if (slug) return slug
    throw createInvalid('neither the name of the skill nor that of the file can be made into a slug')
  }
  const slug = toSlug(folder.split('/').at(-1)!)
  if (!slug) throw createInvalid('the name of the folder cannot be made into a slug', folder)
  if (folder.includes('/')) return slug
  // The folder of a repository has the name of its branch at the end.
  const name = await readSlug(files)
  return name && slug.startsWith(`${name}-`) ? name : slug
}

/** Returns the slug from the name in the front matter, or ''. */
async function readSlug(files: readonly ArchivedFile[]): Promise<string> {
  const skillFile = files.find(({ names }) => names.length === 1 && names[0] === SKILL_FILE)!
  let head = Buffer.alloc(0)
  for await (const chunk of skillFile.read()) {
    head = Buffer.concat([head, chunk])
    if (head.length >= HEAD_BYTES) break
  }
  return toSlug((await readHead(decodeHead(head.subarray(0, HEAD_BYTES)))).name ?? '')
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
