import { mkdir, realpath } from 'node:fs/promises'
import { AppError, type OpenFolder, openFolder } from '#plugin-api'
import { codeOf, DENIED, ignoring, MISSING } from './file-errors.ts'
import type { Cradle } from './manifest.ts'
import { createSkillFolder, type SkillFolder } from './skill-folder.ts'

const FOLDER_NAME = 'skills'

/** The folders that hold skills, by the path of their workspace or package. */
export type SkillStore = ReturnType<typeof createSkillStore>

/** Creates the access to the folder `skills` of workspaces and packages. */
export function createSkillStore(cradle: Pick<Cradle, 'ids'>) {
  const using = async <Result>(folder: OpenFolder, work: (skills: SkillFolder) => Promise<Result>) => {
    try {
      return await work(createSkillFolder(folder, cradle))
    } catch (error) {
      if (!FAILED.includes(codeOf(error))) throw error
      throw new AppError('SKILLS_FOLDER_UNUSABLE', {}, { cause: error })
    } finally {
      await folder.close()
    }
  }

  return {
    /** Runs work on the skills below a path; returns undefined if the folder `skills` does not exist or is a link. */
    async read<Result>(
      path: string,
      work: (skills: SkillFolder) => Promise<Result>,
    ): Promise<Result | undefined> {
      const folder = await openSkillsFolder(path)
      return folder && using(folder, work)
    },

    /** The same, but creates a missing folder; throws SKILLS_FOLDER_UNUSABLE if it cannot be created. */
    async write<Result>(path: string, work: (skills: SkillFolder) => Promise<Result>): Promise<Result> {
      const folder = (await openSkillsFolder(path)) ?? (await createSkillsFolder(path))
      if (!folder) throw new AppError('SKILLS_FOLDER_UNUSABLE')
      return using(folder, work)
    },
  }
}

/** Codes of work on a folder that was removed meanwhile, or whose permissions deny access. */
const FAILED = ['ENOENT', ...DENIED]

async function openSkillsFolder(path: string): Promise<OpenFolder | undefined> {
  const root = await unlessUnusable(realpath(path).then((real) => openFolder(real)))
  if (!root) return undefined
  try {
    return await unlessUnusable(root.openFolder(FOLDER_NAME))
  } finally {
    await root.close()
  }
}

async function createSkillsFolder(path: string): Promise<OpenFolder | undefined> {
  const root = await unlessUnusable(realpath(path).then((real) => openFolder(real)))
  if (!root) return undefined
  try {
    await unlessUnusable(mkdir(root.entry(FOLDER_NAME), { mode: 0o700 }))
    return await unlessUnusable(root.openFolder(FOLDER_NAME))
  } finally {
    await root.close()
  }
}

/** Codes of an entry that does not exist, is not a folder, exists already, or denies access. */
const UNUSABLE = [...MISSING, ...DENIED, 'EEXIST']

const unlessUnusable = <Result>(work: Promise<Result>) => ignoring(UNUSABLE, work)
