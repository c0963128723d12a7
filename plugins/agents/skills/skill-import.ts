import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { OpenFolder } from '#plugin-api'
import type { ArchivedFile } from './archive.ts'
import { findSkills, isSkillFile } from './archive-skills.ts'
import type { Drafts } from './drafts.ts'
import { SKILL_FILE } from './skill-folder.ts'
import { assertFits, createInvalid, createPathCheck, createTooLarge, LIMITS } from './skill-rules.ts'
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
    const names = check(file.path, false)
    if (names.length === 1 && isSkillFile(names[0]!)) names[0] = SKILL_FILE
    return { names, bytes: bytes.length, isExecutable, read }
  })
  if (!files.some(({ names }) => names.length === 1 && names[0] === SKILL_FILE))
    throw createInvalid(`there is no ${SKILL_FILE}`)
  await writeSkills(drafts, [{ slug, files }])
}

/**
 * Writes the skills of a zip archive; a slug may be given for a single skill. Throws SKILL_ARCHIVE_INVALID or
 * SKILL_TOO_LARGE.
 */
export async function importArchive(
  drafts: Drafts,
  { path, filename }: { path: string; filename: string },
  slug?: string,
): Promise<void> {
  // Its library is loaded with the first archive, not at each start.
  const { readArchive } = await import('./archive.ts')
  await readArchive(path, async (files) => writeSkills(drafts, await findSkills(files, { filename, slug })))
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
