import { renameSync } from 'node:fs'
import { lstat, mkdir, opendir, writeFile } from 'node:fs/promises'
import { decodeTime } from 'ulid'
import { AppError, type Ids, type OpenFolder, removeTree } from '#plugin-api'
import { codeOf, DENIED, ignoring, MISSING } from './file-errors.ts'
import { isSlug } from './skill-rules.ts'

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md'

/** The folder of a skill that is being written or removed: `.<id>.tmp`. */
const TEMPORARY = /^\.([0-9A-HJKMNP-TV-Z]{26})\.tmp$/
/** The folder of a skill that is being replaced, which exists only for a moment: `.<slug>.<id>.old`. */
const DISPLACED = /^\.([a-z0-9][a-z0-9_-]{0,63})\.([0-9A-HJKMNP-TV-Z]{26})\.old$/
/** The marker of a skill that is off: `.<slug>.off`, beside the skill, so that it survives a replacement. */
const OFF = /^\.([a-z0-9][a-z0-9_-]{0,63})\.off$/
const nameOffMarker = (slug: string) => `.${slug}.off`

/** The age from which such a folder must be the remains of a crash. */
const MAX_TEMPORARY_MS = 3600_000
const MAX_DISPLACED_MS = 60_000

/** The most entries of a folder that are scanned, as models may write anything there. */
const MAX_NAMES = 4096

/** Codes of a rename whose target is a folder that is not empty, or not a folder. */
const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR']

/** Codes of a removal that a concurrent writer prevents; a later sweep tries again. */
const STUCK = [...DENIED, 'ENOTEMPTY', 'EBUSY']

/** Returns the age of an id in milliseconds, by the clock with which ids are made. */
export const measureAge = (id: string, ids: Ids): number => decodeTime(ids.make()) - decodeTime(id)

/** The folder that currently holds a skill, with an identity that differs after a replacement. */
interface Located {
  name: string
  id: string
}

/** The skills in an open folder of a workspace or a package. Links in it are ignored. */
export type SkillFolder = ReturnType<typeof createSkillFolder>

/** Creates the access to the skills of a folder, usable while the folder is open. */
export function createSkillFolder(folder: OpenFolder, { ids }: { ids: Ids }) {
  const { entry } = folder

  /** Lists the names of the folders, sorted, and the slugs that are off; repairs what a crash has left. */
  const scan = async (): Promise<{ names: string[]; off: Set<string> }> => {
    const names: string[] = []
    const left: string[] = []
    const off = new Set<string>()
    let count = 0
    for await (const entry of await opendir(folder.path)) {
      const [, slug] = OFF.exec(entry.name) ?? []
      if (slug) off.add(slug)
      else if (TEMPORARY.test(entry.name) || DISPLACED.test(entry.name)) left.push(entry.name)
      else if (entry.isDirectory()) names.push(entry.name)
      count += 1
      if (count >= MAX_NAMES) break
    }
    const restoredNames = await Promise.all(left.map(sweep))
    return { names: [...names, ...restoredNames.flat()].sort(), off }
  }

  /** Removes the remains of a crash, or restores a displaced skill that was not replaced; returns the names that remain. */
  const sweep = async (name: string): Promise<string[]> => {
    const [, slug, displaced] = DISPLACED.exec(name) ?? []
    const id = displaced ?? TEMPORARY.exec(name)![1]!
    if (measureAge(id, ids) < (slug ? MAX_DISPLACED_MS : MAX_TEMPORARY_MS)) return [name]
    if (slug && move(name, slug) === 'moved') return [slug]
    await discard([name])
    return []
  }

  /** Renames an entry, unless the new name is taken or the entry has gone. */
  const move = (from: string, to: string): 'moved' | 'taken' | 'gone' => {
    try {
      renameSync(entry(from), entry(to))
      return 'moved'
    } catch (error) {
      if (TAKEN.includes(codeOf(error))) return 'taken'
      if (codeOf(error) === 'ENOENT') return 'gone'
      throw error
    }
  }

  /**
   * Removes entries by their names and returns the names that existed; a folder that cannot be removed completely is no
   * longer a skill.
   */
  const discard = async (names: readonly string[]): Promise<string[]> => {
    const usable: string[] = []
    for (const name of names) {
      // Renamed first, so that an incompletely removed folder is not taken for a displaced skill.
      const doomed = TEMPORARY.test(name) ? name : `.${ids.make()}.tmp`
      if (doomed !== name && move(name, doomed) !== 'moved') continue
      usable.push(name)
      await ignoring(STUCK, removeTree(entry(doomed)))
    }
    return usable
  }

  const toSlugs = (names: readonly string[]): string[] => {
    const slugs = names.map((name) => DISPLACED.exec(name)?.[1] ?? name)
    return [...new Set(slugs.filter(isSlug))].sort()
  }

  /** Returns the identity of a folder if it holds a skill. */
  const identify = async (name: string): Promise<string | undefined> => {
    const stats = await unlessMissing(lstat(entry(name), { bigint: true }))
    if (!stats?.isDirectory()) return undefined
    // A folder that may not be entered counts as one without a skill.
    const file = await ignoring([...MISSING, ...DENIED], lstat(`${entry(name)}/${SKILL_FILE}`))
    return file?.isFile() ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : undefined
  }

  /** Finds the folder of a skill, which has another name between the two steps of a replacement. */
  const locate = async (slug: string): Promise<Located | undefined> => {
    if (!isSlug(slug)) return undefined
    return (await locateByName(slug)) ?? locateDisplaced(slug)
  }

  const locateByName = async (name: string): Promise<Located | undefined> => {
    const id = await identify(name)
    return id ? { name, id } : undefined
  }

  const locateDisplaced = async (slug: string): Promise<Located | undefined> => {
    const location = await locateByName(slug)
    if (location || (await unlessMissing(lstat(entry(slug))))) return location
    for (const name of (await scan()).names.filter((name) => DISPLACED.exec(name)?.[1] === slug)) {
      const displaced = await locateByName(name)
      if (displaced) return displaced
    }
    return undefined
  }

  const open = async (name: string): Promise<OpenFolder | undefined> => {
    try {
      return await unlessMissing(folder.openFolder(name))
    } catch (cause) {
      if (!DENIED.includes(codeOf(cause))) throw cause
      throw new AppError('SKILL_UNREADABLE', { path: name }, { cause })
    }
  }

  return {
    folder,
    discard,
    has: async (slug: string): Promise<boolean> => (await locate(slug)) !== undefined,

    /** True if a name is taken by a skill or by something else. */
    isTaken: async (slug: string): Promise<boolean> =>
      (await unlessMissing(lstat(entry(slug)))) !== undefined || (await locate(slug)) !== undefined,

    /** Lists the first names, sorted, of folders that are or may become skills, except those that are off. */
    async listFolders(max: number): Promise<string[]> {
      const { names, off } = await scan()
      return toSlugs(names)
        .filter((slug) => !off.has(slug))
        .slice(0, max)
    },

    isOff: async (slug: string): Promise<boolean> =>
      (await unlessMissing(lstat(entry(nameOffMarker(slug))))) !== undefined,

    /**
     * Switches a skill on or off, also for its later replacements; returns false if it was so already. Throws
     * SKILL_NOT_FOUND.
     */
    async switch(slug: string, isOn: boolean): Promise<boolean> {
      if (!(await locate(slug))) throw new AppError('SKILL_NOT_FOUND', { slug })
      const marker = nameOffMarker(slug)
      if (isOn) return (await discard([marker])).length > 0
      const write = async () => {
        await writeFile(entry(marker), '', { flag: 'wx', mode: 0o600 })
        return true
      }
      return (await ignoring(['EEXIST'], write())) ?? false
    },

    /** Lists the slugs of all skills, sorted. */
    async list(): Promise<string[]> {
      const slugs = toSlugs((await scan()).names)
      const existing = await Promise.all(slugs.map(async (slug) => ((await locate(slug)) ? [slug] : [])))
      return existing.flat()
    },

    /**
     * Runs work on the folder of a skill, and repeats it if the skill was replaced meanwhile, so that the result is of
     * one version. Throws SKILL_NOT_FOUND.
     */
    async use<Result>(slug: string, work: (skill: OpenFolder) => Promise<Result>): Promise<Result> {
      for (;;) {
        const location = await locate(slug)
        if (!location) throw new AppError('SKILL_NOT_FOUND', { slug })
        const skill = await open(location.name)
        if (!skill) continue
        const outcome = await settle(work(skill)).finally(() => skill.close())
        if ((await locate(slug))?.id !== location.id) continue
        if ('error' in outcome) throw outcome.error
        return outcome.result
      }
    },

    /** Creates an empty temporary folder, which is not a skill, and returns its name. */
    async stage(): Promise<string> {
      const name = `.${ids.make()}.tmp`
      await mkdir(entry(name), { mode: 0o700 })
      return name
    },

    /**
     * Puts a temporary folder in the place of a skill at once, by two renames, as Node cannot exchange two folders in
     * one. Returns undefined if the name is taken and may not be overwritten. A new skill is on.
     */
    async place(
      staged: string,
      slug: string,
      { overwrite }: { overwrite: boolean },
    ): Promise<'made' | 'replaced' | undefined> {
      const displaced: string[] = []
      for (;;) {
        const outcome = move(staged, slug)
        if (outcome === 'moved') break
        // Somebody removed the whole folder meanwhile.
        if (outcome === 'gone') throw new AppError('SKILLS_FOLDER_UNUSABLE')
        if (!overwrite) return undefined
        const old = `.${slug}.${ids.make()}.old`
        if (move(slug, old) === 'moved') displaced.push(old)
      }
      await discard(displaced)
      if (displaced.length > 0) return 'replaced'
      await discard([nameOffMarker(slug)])
      return 'made'
    },

    /** Removes a skill. Throws SKILL_NOT_FOUND. */
    async remove(slug: string): Promise<void> {
      const doomed = `.${ids.make()}.tmp`
      for (;;) {
        const location = await locate(slug)
        if (!location) throw new AppError('SKILL_NOT_FOUND', { slug })
        if (move(location.name, doomed) === 'moved') break
      }
      await discard([doomed, nameOffMarker(slug)])
    },
  }
}

/** Waits for work on an entry; returns undefined if the entry does not exist or has become something else. */
const unlessMissing = <Result>(work: Promise<Result>) => ignoring(MISSING, work)

const settle = <Result>(work: Promise<Result>): Promise<{ result: Result } | { error: unknown }> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
