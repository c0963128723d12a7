import { mkdir, realpath } from 'node:fs/promises'
import { AppError, type OpenFolder, openFolder } from '#kernel'
import type { Cradle } from './manifest.ts'
import { createShelf, type Shelf } from './shelf.ts'
import { AWAY, codeOf, DENIED, ignoring } from './system-errors.ts'

const FOLDER = 'skills'

/** Opens the folders that hold skills. */
export type Shelves = ReturnType<typeof createShelves>

/** Makes the access to the folder `skills` below workspaces and packages. */
export function createShelves(cradle: Pick<Cradle, 'ids'>) {
  const using = async <Result>(folder: OpenFolder, work: (shelf: Shelf) => Promise<Result>) => {
    try {
      return await work(createShelf(folder, cradle))
    } catch (error) {
      if (!FAILED.includes(codeOf(error))) throw error
      throw new AppError('SKILLS_FOLDER_UNUSABLE', {}, { cause: error })
    } finally {
      await folder.close()
    }
  }

  return {
    /** Runs work on the skills below a path; undefined where there is no folder for them, a link being none. */
    async read<Result>(path: string, work: (shelf: Shelf) => Promise<Result>): Promise<Result | undefined> {
      const folder = await openSkills(path)
      return folder && using(folder, work)
    },

    /** The same, with the folder made if it is missing; throws SKILLS_FOLDER_UNUSABLE where that cannot be. */
    async write<Result>(path: string, work: (shelf: Shelf) => Promise<Result>): Promise<Result> {
      const folder = (await openSkills(path)) ?? (await makeSkills(path))
      if (!folder) throw new AppError('SKILLS_FOLDER_UNUSABLE')
      return using(folder, work)
    },
  }
}

/** Codes of work on a folder that was removed meanwhile, or that its writer has closed to us. */
const FAILED = ['ENOENT', ...DENIED]

async function openSkills(path: string): Promise<OpenFolder | undefined> {
  const root = await unlessUnusable(realpath(path).then((real) => openFolder(real)))
  if (!root) return undefined
  try {
    return await unlessUnusable(root.openFolder(FOLDER))
  } finally {
    await root.close()
  }
}

async function makeSkills(path: string): Promise<OpenFolder | undefined> {
  const root = await unlessUnusable(realpath(path).then((real) => openFolder(real)))
  if (!root) return undefined
  try {
    await unlessUnusable(mkdir(root.entry(FOLDER), { mode: 0o700 }))
    return await unlessUnusable(root.openFolder(FOLDER))
  } finally {
    await root.close()
  }
}

/** Codes of a folder that is not there, is no folder, is there already, or that its writer has closed to us. */
const UNUSABLE = [...AWAY, ...DENIED, 'EEXIST']

const unlessUnusable = <Result>(work: Promise<Result>) => ignoring(UNUSABLE, work)
