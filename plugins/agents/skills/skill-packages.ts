import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Filter } from 'mongodb'
import { isValid } from 'ulid'
import {
  AppError,
  type Conditional,
  findPage,
  grantedAccess,
  isDuplicateKey,
  isEditableBy,
  isOpenTo,
  missOf,
  type PageRequest,
  removeTree,
  requireUnchanged,
  type TypeOf,
} from '#plugin-api'
import type { Users } from '../../identity/users/users.ts'
import { ignoring } from './file-errors.ts'
import type { Cradle } from './manifest.ts'
import type { newPackage } from './schemas.ts'
import { measureAge } from './skill-folder.ts'
import type { SkillStore } from './skill-store.ts'
import type { Changer, Reader, SkillPackageDocument } from './types.ts'

/** The time after which a change no longer excludes others, for example because its process died. */
const LEASE_MS = 30_000
const POLL_MS = 20
/** The age from which a folder without a package must be the remains of a crash. */
const ABANDONED_MS = 3600_000

/** The settings of a package. */
type PackageSettings = TypeOf<typeof newPackage>

/** The fields that the entity tag of a package is made from. */
export const packageFields = ['name', 'description'] as const

/** Returns the condition that an account may read a package. */
const readableBy = (reader: Reader): Filter<SkillPackageDocument> =>
  reader.role === 'admin' ? {} : { $or: [...isOpenTo(reader).$or, { created_by_id: reader.id }] }

/** Returns the condition that an account may change a package. */
const editableBy = (changer: Reader): Filter<SkillPackageDocument> =>
  changer.role === 'admin' ? {} : { $or: [isEditableBy(changer), { created_by_id: changer.id }] }

/** True if an account may change a package that it may read. */
export const mayEdit = (skillPackage: SkillPackageDocument, { id, role, ...person }: Changer): boolean =>
  role === 'admin' ||
  (person.permissions.includes('skill_packages') &&
    (skillPackage.created_by_id === id || grantedAccess(skillPackage, { id, ...person }) === 'edit'))

/** The packages of skills, with which accounts share skills. */
export type SkillPackages = ReturnType<typeof createSkillPackages>

/** Creates the store of packages; their skills are stored in folders. */
export function createSkillPackages({
  collections: { skill_packages: packages },
  clock,
  ids,
  limits,
  server,
  skillStore,
  users,
}: { skillStore: SkillStore; users: Users } & Pick<
  Cradle,
  'collections' | 'clock' | 'ids' | 'limits' | 'server'
>) {
  const root = join(server.home, 'skill-packages')
  const pathOf = (package_id: string) => join(root, package_id)

  const assertExists = async (_id: string): Promise<void> => {
    if ((await packages.countDocuments({ _id })) === 0) throw new AppError('SKILL_PACKAGE_NOT_FOUND')
  }

  const find = async (reader: Reader, _id: string): Promise<SkillPackageDocument> => {
    const skillPackage = await packages.findOne({ _id, ...readableBy(reader) })
    if (!skillPackage) throw new AppError('SKILL_PACKAGE_NOT_FOUND')
    return skillPackage
  }

  const findChangeable = async (changer: Changer, package_id: string): Promise<SkillPackageDocument> => {
    const skillPackage = await find(changer, package_id)
    if (!mayEdit(skillPackage, changer)) throw new AppError('FORBIDDEN')
    return skillPackage
  }

  /** Runs a change of a package's skills when no other one runs; throws SKILL_PACKAGE_NOT_FOUND. */
  const changeExclusively = async <Result>(_id: string, work: () => Promise<Result>): Promise<Result> => {
    const id = ids.make()
    while (!(await claim(_id, id))) {
      await assertExists(_id)
      await pause(POLL_MS)
    }
    const finish = (changes: Partial<SkillPackageDocument>) =>
      packages.updateOne({ _id, 'change.id': id }, { $set: { change: null, ...changes } })
    try {
      const result = await work()
      await finish({ updated_at: clock.seconds() })
      return result
    } catch (error) {
      await finish({})
      throw error
    }
  }

  const claim = async (_id: string, id: string): Promise<boolean> => {
    const free = { $or: [{ change: null }, { 'change.until': { $lte: clock.now() } }] }
    const change = { id, until: clock.now() + LEASE_MS }
    const { matchedCount } = await packages.updateOne({ _id, ...free }, { $set: { change } })
    return matchedCount > 0
  }

  /** Removes a package, unless it has gone already. */
  const remove = async (_id: string): Promise<void> => {
    try {
      await changeExclusively(_id, async () => {
        await packages.deleteOne({ _id })
        await removeTree(pathOf(_id))
      })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  return {
    pathOf,
    assertExists,
    /** Finds a package that an account may read; throws SKILL_PACKAGE_NOT_FOUND. */
    find,
    /** Finds a package that an account may change; throws SKILL_PACKAGE_NOT_FOUND or FORBIDDEN. */
    findChangeable,
    changeExclusively,

    /** Lists the packages that an account may read, oldest first. Throws VALIDATION_FAILED for an unknown cursor. */
    list: (reader: Reader, page: PageRequest) =>
      findPage(packages, { parts: [readableBy(reader)], sort: { _id: 1 } }, page),

    /** Creates an empty package. Throws SKILL_PACKAGE_NAME_TAKEN or LIMIT_REACHED. */
    async create(
      { id, username }: Pick<Changer, 'id' | 'username'>,
      { name, description = null }: PackageSettings,
    ): Promise<SkillPackageDocument> {
      const now = clock.seconds()
      const skillPackage: SkillPackageDocument = {
        _id: ids.make(),
        ...toNameFields(name),
        description,
        created_by_id: id,
        created_by: username,
        created_at: now,
        updated_at: now,
        change: null,
      }
      await limits.within('skill_packages', id, () =>
        refuseTakenName(skillPackage.name, packages.insertOne(skillPackage)),
      )
      // If the account was deleted meanwhile, its packages were removed before this one was stored.
      if (!(await users.find(id))) {
        await packages.deleteOne({ _id: skillPackage._id })
        throw new AppError('AUTH_FAILED')
      }
      return skillPackage
    },

    /** Changes settings. Throws SKILL_PACKAGE_NOT_FOUND, FORBIDDEN or SKILL_PACKAGE_NAME_TAKEN. */
    async update(
      caller: Changer,
      package_id: string,
      { name, ...settings }: Partial<PackageSettings>,
      request: Conditional,
    ): Promise<SkillPackageDocument> {
      const current = await findChangeable(caller, package_id)
      const unchanged = requireUnchanged(request, current, packageFields)
      const changes = {
        ...settings,
        ...(name !== undefined && toNameFields(name)),
        updated_at: clock.seconds(),
      }
      const write = packages.findOneAndUpdate(
        { _id: current._id, ...unchanged, ...editableBy(caller) },
        { $set: changes },
        { returnDocument: 'after' },
      )
      const changed = await refuseTakenName(name?.trim(), write)
      if (!changed) throw missOf(unchanged, 'SKILL_PACKAGE_NOT_FOUND')
      return changed
    },

    /** Removes a package with its skills; throws SKILL_PACKAGE_NOT_FOUND or FORBIDDEN. */
    async remove(caller: Changer, package_id: string): Promise<{ name: string }> {
      const { _id, name, created_by_id } = await find(caller, package_id)
      if (created_by_id !== caller.id && caller.role !== 'admin') throw new AppError('FORBIDDEN')
      await remove(_id)
      return { name }
    },

    /** Removes all packages that an account created. */
    async removeAllOf(created_by_id: string): Promise<void> {
      const created = await packages.find({ created_by_id }, { projection: { _id: 1 } }).toArray()
      for (const { _id } of created) await remove(_id)
    },

    /** Removes the remains of crashes: folders without a package, and skills that were not put in place. */
    async clean(signal: AbortSignal): Promise<void> {
      const names = (await ignoring(['ENOENT'], readdir(root))) ?? []
      const storedIds = new Set(
        (await packages.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id),
      )
      for (const name of names) {
        if (signal.aborted) return
        const path = pathOf(name)
        if (storedIds.has(name)) await skillStore.read(path, (skills) => skills.list())
        else if (isValid(name) && measureAge(name, ids) > ABANDONED_MS) await removeTree(path)
      }
    },
  }
}

/** Two names are the same if they differ only in case, surrounding spaces or Unicode form. */
const toNameFields = (name: string) => ({
  name: name.trim(),
  name_key: name.trim().normalize('NFKC').toLowerCase(),
})

async function refuseTakenName<Result>(name: string | undefined, write: Promise<Result>): Promise<Result> {
  try {
    return await write
  } catch (error) {
    if (isDuplicateKey(error)) throw new AppError('SKILL_PACKAGE_NAME_TAKEN', { name })
    throw error
  }
}
