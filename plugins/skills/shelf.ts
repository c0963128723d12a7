import { renameSync } from 'node:fs'
import { lstat, mkdir, opendir, rm, writeFile } from 'node:fs/promises'
import { AppError, type Ids, type OpenFolder } from '#kernel'
import { ageOf } from './age.ts'
import { isSlug } from './slug.ts'
import { AWAY, codeOf, DENIED, ignoring } from './system-errors.ts'

/** What every skill has. */
export const SKILL_FILE = 'SKILL.md'

/** A skill that is being written or removed: `.<id>.tmp`. */
const TEMPORARY = /^\.([0-9A-HJKMNP-TV-Z]{26})\.tmp$/
/** A skill that gives its place to another, there for a moment only: `.<slug>.<id>.old`. */
const DISPLACED = /^\.([a-z0-9][a-z0-9_-]{0,63})\.([0-9A-HJKMNP-TV-Z]{26})\.old$/
/** Marks a skill as switched off: `.<slug>.off`, beside the skill, so that it stays when the skill is replaced. */
const OFF = /^\.([a-z0-9][a-z0-9_-]{0,63})\.off$/
const offMark = (slug: string) => `.${slug}.off`

/** How long ago the id of such a folder was made when only a crash can have left it, in milliseconds. */
const TEMPORARY_MS = 3600_000
const DISPLACED_MS = 60_000

/** How many names of a folder of skills are looked at; models may write there what they like. */
const MAX_NAMES = 4096

/** Codes of a rename whose target is taken: by a folder that is not empty, or by something that is no folder. */
const TAKEN = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR']

/** Codes of a removal that whoever writes in the folder prevents; a later sweep tries again. */
const STUCK = [...DENIED, 'ENOTEMPTY', 'EBUSY']

/** The folder that a skill is at present, and which one that is. */
interface Located {
  name: string
  id: string
}

/** An open folder of skills, of a workspace or of a package. Links in it do not exist. */
export type Shelf = ReturnType<typeof createShelf>

/** Makes the access to the skills of a folder for as long as that is open. */
export function createShelf(folder: OpenFolder, { ids }: { ids: Ids }) {
  const { entry } = folder

  /**
   * The names of the folders in it, sorted, and the slugs that are switched off; puts right what a crash has left among
   * them.
   */
  const scan = async (): Promise<{ names: string[]; off: Set<string> }> => {
    const names: string[] = []
    const left: string[] = []
    const off = new Set<string>()
    let seen = 0
    for await (const entry of await opendir(folder.path)) {
      const [, slug] = OFF.exec(entry.name) ?? []
      if (slug) off.add(slug)
      else if (TEMPORARY.test(entry.name) || DISPLACED.test(entry.name)) left.push(entry.name)
      else if (entry.isDirectory()) names.push(entry.name)
      seen += 1
      if (seen >= MAX_NAMES) break
    }
    const kept = await Promise.all(left.map(sweep))
    return { names: [...names, ...kept.flat()].sort(), off }
  }

  /** Removes what was left, or puts it back if nothing took its place; gives the names that are there then. */
  const sweep = async (name: string): Promise<string[]> => {
    const [, slug, displaced] = DISPLACED.exec(name) ?? []
    const id = displaced ?? TEMPORARY.exec(name)![1]!
    if (ageOf(id, ids) < (slug ? DISPLACED_MS : TEMPORARY_MS)) return [name]
    if (slug && move(name, slug) === 'moved') return [slug]
    await discard([name])
    return []
  }

  /** Gives what has one name another one, unless that is taken or the thing has gone. */
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

  /** Removes folders by their names; what cannot be removed is no skill any more. */
  const discard = async (names: readonly string[]): Promise<void> => {
    for (const name of names) {
      // What is half removed must not be taken for a skill that was displaced.
      const doomed = TEMPORARY.test(name) ? name : `.${ids.make()}.tmp`
      if (doomed !== name && move(name, doomed) !== 'moved') continue
      await ignoring(STUCK, rm(entry(doomed), { recursive: true, force: true, maxRetries: 3 }))
    }
  }

  const slugsOf = (names: readonly string[]): string[] => {
    const slugs = names.map((name) => DISPLACED.exec(name)?.[1] ?? name)
    return [...new Set(slugs.filter(isSlug))].sort()
  }

  /** Which folder a name is, if it is that of a skill. */
  const identify = async (name: string): Promise<string | undefined> => {
    const stats = await ifThere(lstat(entry(name), { bigint: true }))
    if (!stats?.isDirectory()) return undefined
    // A folder that cannot be entered has no files for us.
    const file = await ignoring([...AWAY, ...DENIED], lstat(`${entry(name)}/${SKILL_FILE}`))
    return file?.isFile() ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : undefined
  }

  /** Where a skill is; between the two steps of a replacement it still goes by another name. */
  const locate = async (slug: string): Promise<Located | undefined> => {
    if (!isSlug(slug)) return undefined
    return (await lookAt(slug)) ?? lookFor(slug)
  }

  const lookAt = async (name: string): Promise<Located | undefined> => {
    const id = await identify(name)
    return id ? { name, id } : undefined
  }

  const lookFor = async (slug: string): Promise<Located | undefined> => {
    const found = await lookAt(slug)
    if (found || (await ifThere(lstat(entry(slug))))) return found
    for (const name of (await scan()).names.filter((name) => DISPLACED.exec(name)?.[1] === slug)) {
      const displaced = await lookAt(name)
      if (displaced) return displaced
    }
    return undefined
  }

  const open = async (name: string): Promise<OpenFolder | undefined> => {
    try {
      return await ifThere(folder.openFolder(name))
    } catch (cause) {
      if (!DENIED.includes(codeOf(cause))) throw cause
      throw new AppError('SKILL_UNREADABLE', { path: name }, { cause })
    }
  }

  return {
    folder,
    discard,
    has: async (slug: string): Promise<boolean> => (await locate(slug)) !== undefined,

    /** Whether a name is taken, by a skill or by something else. */
    isTaken: async (slug: string): Promise<boolean> =>
      (await ifThere(lstat(entry(slug)))) !== undefined || (await locate(slug)) !== undefined,

    /** The first names, sorted, of folders that are or may become skills, without those that are switched off. */
    async listFolders(max: number): Promise<string[]> {
      const { names, off } = await scan()
      return slugsOf(names)
        .filter((slug) => !off.has(slug))
        .slice(0, max)
    },

    isOff: async (slug: string): Promise<boolean> =>
      (await ifThere(lstat(entry(offMark(slug))))) !== undefined,

    /** Switches a skill on or off, also for what replaces it later; throws SKILL_NOT_FOUND. */
    async switch(slug: string, isOn: boolean): Promise<void> {
      if (!(await locate(slug))) throw new AppError('SKILL_NOT_FOUND', { slug })
      if (isOn) await discard([offMark(slug)])
      // It may be there already, as anything that a model has written.
      else await ignoring(['EEXIST'], writeFile(entry(offMark(slug)), '', { flag: 'wx', mode: 0o600 }))
    },

    /** The slugs of all skills, sorted. */
    async list(): Promise<string[]> {
      const slugs = slugsOf((await scan()).names)
      const found = await Promise.all(slugs.map(async (slug) => ((await locate(slug)) ? [slug] : [])))
      return found.flat()
    },

    /**
     * Runs work on the folder of a skill, again if the skill was replaced meanwhile: what it gives is of one version.
     * Throws SKILL_NOT_FOUND.
     */
    async use<Result>(slug: string, work: (skill: OpenFolder) => Promise<Result>): Promise<Result> {
      for (;;) {
        const found = await locate(slug)
        if (!found) throw new AppError('SKILL_NOT_FOUND', { slug })
        const skill = await open(found.name)
        if (!skill) continue
        const outcome = await settle(work(skill)).finally(() => skill.close())
        if ((await locate(slug))?.id !== found.id) continue
        if ('error' in outcome) throw outcome.error
        return outcome.result
      }
    },

    /** Makes an empty folder that no one takes for a skill; gives its name. */
    async stage(): Promise<string> {
      const name = `.${ids.make()}.tmp`
      await mkdir(entry(name), { mode: 0o700 })
      return name
    },

    /**
     * Puts a staged folder in the place of a skill, whole and at once; undefined where that is taken and stays. Two
     * renames take the place of one, as the system knows none that exchanges folders. What is made anew is switched on.
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
        // Whoever removes the whole folder does not wait for us.
        if (outcome === 'gone') throw new AppError('SKILLS_FOLDER_UNUSABLE')
        if (!overwrite) return undefined
        const old = `.${slug}.${ids.make()}.old`
        if (move(slug, old) === 'moved') displaced.push(old)
      }
      await discard(displaced)
      if (displaced.length > 0) return 'replaced'
      await discard([offMark(slug)])
      return 'made'
    },

    /** Throws SKILL_NOT_FOUND. */
    async remove(slug: string): Promise<void> {
      const doomed = `.${ids.make()}.tmp`
      for (;;) {
        const found = await locate(slug)
        if (!found) throw new AppError('SKILL_NOT_FOUND', { slug })
        if (move(found.name, doomed) === 'moved') break
      }
      await discard([doomed, offMark(slug)])
    },
  }
}

/** Waits for work on something that may have gone, or not be what it was; undefined then. */
const ifThere = <Result>(work: Promise<Result>) => ignoring(AWAY, work)

const settle = <Result>(work: Promise<Result>): Promise<{ result: Result } | { error: unknown }> =>
  work.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
