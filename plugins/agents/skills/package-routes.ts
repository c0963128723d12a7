import {
  AppError,
  type Issue,
  linkToNext,
  makeTag,
  objectOf,
  pageQuery,
  pageReply,
  reply,
  replyWithTag,
} from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import {
  addedSkills,
  detailOptions,
  newPackage,
  newSkill,
  packageChanges,
  packageParams,
  packageSkill,
  packageSkillDetail,
  packageSkillParams,
  skillPackage,
  skillPackageDetail,
  skillPackages,
  uploadOptions,
  wholeSkill,
} from './schemas.ts'
import { importArchive, importFiles } from './skill-import.ts'
import { mayEdit, packageFields } from './skill-packages.ts'
import { assertSlug } from './skill-rules.ts'
import type { Changer, SkillFacts, SkillPackageDocument } from './types.ts'

const MAY_CHANGE = ['permission', 'skill_packages'] as const
/** Enough for the largest package without compression, and for the names of its files. */
const MAX_UPLOAD_BYTES = 66 * 1024 * 1024

const ARCHIVE_ONLY: Issue = {
  path: '/slug',
  rule: 'additionalProperties',
  message: 'is for archives only; a list of files has its slug in the body',
}

/** Converts a skill of a package to a row of the API. */
export const toSkillRow = ({ slug, name, description, files, bytes }: SkillFacts) => ({
  slug,
  name,
  description,
  files,
  bytes,
})

const toPackageRow = (document: SkillPackageDocument, caller: Changer, skill_count: number) => {
  const { _id: id, name, description, created_by, created_by_id, created_at, updated_at } = document
  return {
    ...{ id, name, description, created_by, skill_count, created_at, updated_at },
    is_owner: created_by_id === caller.id,
    can_edit: mayEdit(document, caller),
  }
}

const countAndShow = async (
  document: SkillPackageDocument,
  caller: Changer,
  { packageSkills }: Pick<Cradle, 'packageSkills'>,
) => toPackageRow(document, caller, await packageSkills.count(document._id))

/** The routes of the packages of skills. */
export const packageRoutes = [
  route({
    method: 'GET',
    path: '/skill-packages',
    operation_id: 'listSkillPackages',
    summary: 'List the skill packages',
    description:
      'Lists the packages that you may read and copy skills from, the oldest first: your own, those that are shared with nobody in particular, and those that are shared with you. Administrators see all of them.',
    guard: 'user',
    query: objectOf(pageQuery),
    response: { 200: skillPackages },
  }).handle(async ({ caller, query }, cradle) => {
    const { rows, next } = await cradle.skillPackages.list(caller, query)
    const shown = await Promise.all(rows.map((document) => countAndShow(document, caller, cradle)))
    return pageReply(query, { rows: shown, next })
  }),

  route({
    method: 'POST',
    path: '/skill-packages',
    operation_id: 'createSkillPackage',
    summary: 'Create a skill package',
    description:
      'Creates an empty package, which every account can read until you share it with some; add skills to it next. Only you and administrators can change it, and those with whom you share it for changes.',
    guard: MAY_CHANGE,
    body: newPackage,
    response: { 201: skillPackage },
    errors: ['SKILL_PACKAGE_NAME_TAKEN', 'LIMIT_REACHED'],
    audit: 'skill_package.create',
  }).handle(async ({ caller, body }, { skillPackages }) =>
    toPackageRow(await skillPackages.create(caller, body), caller, 0),
  ),

  route({
    method: 'GET',
    path: '/skill-packages/:id',
    operation_id: 'getSkillPackage',
    summary: 'Get a skill package',
    description: 'Returns the package with a page of its skills by slug; `limit` and `cursor` apply to them.',
    guard: 'user',
    params: packageParams,
    query: objectOf(pageQuery),
    response: { 200: skillPackageDetail },
    errors: ['SKILL_PACKAGE_NOT_FOUND'],
    etag: true,
  }).handle(async ({ caller, params, query }, cradle) => {
    const document = await cradle.skillPackages.find(caller, params.id)
    const { rows, next } = await cradle.packageSkills.list(document._id, query)
    const detail = { ...(await countAndShow(document, caller, cradle)), skills: rows.map(toSkillRow) }
    return reply(200, detail, { ...linkToNext(query, next), ETag: `"${makeTag(document, packageFields)}"` })
  }),

  route({
    method: 'PATCH',
    path: '/skill-packages/:id',
    operation_id: 'updateSkillPackage',
    summary: 'Change a skill package',
    description:
      'Renames the package or changes its description. You can change packages of your own and those shared with you for changes, administrators all of them.',
    guard: MAY_CHANGE,
    params: packageParams,
    body: packageChanges,
    response: { 200: skillPackage },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_PACKAGE_NAME_TAKEN'],
    etag: true,
    audit: 'skill_package.update',
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    const changed = await cradle.skillPackages.update(caller, params.id, body, request)
    return replyWithTag(200, await countAndShow(changed, caller, cradle), makeTag(changed, packageFields))
  }),

  route({
    method: 'DELETE',
    path: '/skill-packages/:id',
    operation_id: 'deleteSkillPackage',
    summary: 'Delete a skill package',
    description:
      'Deletes the package with its skills; the copies in workspaces stay. You can delete packages of your own, administrators all of them.',
    guard: MAY_CHANGE,
    params: packageParams,
    response: { 204: null },
    errors: ['SKILL_PACKAGE_NOT_FOUND'],
    audit: 'skill_package.delete',
  }).handle(async ({ caller, params, note }, { skillPackages }) => {
    note(await skillPackages.remove(caller, params.id))
  }),

  route({
    method: 'POST',
    path: '/skill-packages/:id/skills',
    operation_id: 'addPackageSkills',
    summary: 'Add skills to a package',
    description:
      'Takes one skill as a list of files in JSON, or a zip archive as the field `file` of a form. Skills are the outermost folders of an archive with a `SKILL.md`; if the archive has a folder `skills`, at its root or in its only folder, only those below it. Other files are ignored. All skills are added or, if one of them is refused, none.',
    guard: MAY_CHANGE,
    params: packageParams,
    query: uploadOptions,
    body: newSkill,
    upload: { max_bytes: MAX_UPLOAD_BYTES },
    response: { 201: addedSkills },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_ALREADY_EXISTS', 'SKILL_ARCHIVE_INVALID', 'SKILL_TOO_LARGE'],
    audit: 'skill_package.add_skills',
  }).handle(async ({ caller, params, query, body, file }, { packageSkills }) => {
    if (body && query.slug) throw new AppError('VALIDATION_FAILED', { issues: [ARCHIVE_ONLY] })
    const added = await packageSkills.add(caller, params.id, {
      overwrite: query.overwrite || body?.overwrite === true,
      fill: (drafts) =>
        file ? importArchive(drafts, file, query.slug) : importFiles(drafts, body.slug, body.files),
    })
    return { skills: added.map(toSkillRow) }
  }),

  route({
    method: 'GET',
    path: '/skill-packages/:id/skills/:slug',
    operation_id: 'getPackageSkill',
    summary: 'Get a skill of a package',
    description:
      'Returns the skill with the text of its `SKILL.md` and the paths of its files; with `contents=true`, also what is in them, in the form in which a PUT takes it back.',
    guard: 'user',
    params: packageSkillParams,
    query: detailOptions,
    response: { 200: packageSkillDetail },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_NOT_FOUND', 'SKILL_CONTENTS_TOO_LARGE'],
  }).handle(async ({ caller, params, query }, { packageSkills }) => {
    const { updated_at, ...shown } = await packageSkills.find(caller, params.id, params.slug, query)
    return shown
  }),

  route({
    method: 'PUT',
    path: '/skill-packages/:id/skills/:slug',
    operation_id: 'writePackageSkill',
    summary: 'Write a skill of a package',
    description:
      'Creates the skill or replaces all of its files: files that the body does not have are removed. The copies in workspaces stay as they are.',
    guard: MAY_CHANGE,
    params: packageSkillParams,
    body: wholeSkill,
    response: { 200: packageSkill, 201: packageSkill },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_ARCHIVE_INVALID', 'SKILL_TOO_LARGE'],
    audit: 'skill_package.write_skill',
  }).handle(async ({ caller, params, body: { files } }, { packageSkills }) => {
    const [skill] = await packageSkills.add(caller, params.id, {
      overwrite: true,
      // A package that the caller may not change is refused first.
      fill: (drafts) => importFiles(drafts, assertSlug(params.slug), files),
    })
    return reply(skill!.outcome === 'made' ? 201 : 200, toSkillRow(skill!))
  }),

  route({
    method: 'DELETE',
    path: '/skill-packages/:id/skills/:slug',
    operation_id: 'deletePackageSkill',
    summary: 'Delete a skill of a package',
    description: 'Removes the skill from the package; the copies in workspaces stay.',
    guard: MAY_CHANGE,
    params: packageSkillParams,
    response: { 204: null },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_NOT_FOUND'],
    audit: 'skill_package.remove_skill',
  }).handle(
    async ({ caller, params }, { packageSkills }) =>
      void (await packageSkills.remove(caller, params.id, params.slug)),
  ),
]
