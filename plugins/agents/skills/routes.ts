import { objectOf, pageQuery, pageReply, reply, replyWithTag } from '#plugin-api'
import { route } from './manifest.ts'
import { toSkillRow } from './package-routes.ts'
import {
  agentSkill,
  agentSkillDetail,
  agentSkills,
  copyOrder,
  copyOutcome,
  copyParams,
  detailOptions,
  newSkill,
  packageSkill,
  pushOrder,
  skillParams,
  skillSwitch,
  wholeSkill,
} from './schemas.ts'
import { assertSlug } from './skill-rules.ts'

const WRITE_ERRORS = ['SKILL_ARCHIVE_INVALID', 'SKILL_TOO_LARGE', 'SKILLS_FOLDER_UNUSABLE'] as const

/** The routes of the skills in an agent's workspace. */
export const agentSkillRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/skills',
    operation_id: 'listAgentSkills',
    summary: 'List the skills of an agent',
    description:
      "Lists the skills in the agent's workspace by slug, those that are off included: each folder `skills/<slug>/` with a `SKILL.md`.",
    guard: 'editor',
    query: objectOf(pageQuery),
    response: { 200: agentSkills },
    errors: ['SKILLS_FOLDER_UNUSABLE'],
  }).handle(async ({ agent, query }, { agentSkills }) =>
    pageReply(query, await agentSkills.list(agent._id, query)),
  ),

  route({
    method: 'GET',
    path: '/agents/:id/skills/:slug',
    operation_id: 'getAgentSkill',
    summary: 'Get a skill of an agent',
    description:
      'Returns the skill with the text of its `SKILL.md` and the paths of its files; with `contents=true`, also what is in them, in the form in which a PUT takes it back.',
    guard: 'editor',
    params: skillParams,
    query: detailOptions,
    response: { 200: agentSkillDetail },
    errors: ['SKILL_NOT_FOUND', 'SKILL_UNREADABLE', 'SKILL_CONTENTS_TOO_LARGE', 'SKILLS_FOLDER_UNUSABLE'],
    etag: true,
  }).handle(async ({ agent, params, query }, { agentSkills }) => {
    const skill = await agentSkills.find(agent._id, params.slug, query)
    return replyWithTag(200, skill, agentSkills.tagOf(skill))
  }),

  route({
    method: 'POST',
    path: '/agents/:id/skills',
    operation_id: 'createAgentSkill',
    summary: 'Add a skill to an agent',
    description:
      "Writes the files to the folder `skills/<slug>/` of the agent's workspace. The model sees the name and description of the skill from the next turn on. A skill that exists is replaced as a whole if `overwrite` is true; otherwise the request is refused.",
    guard: 'editor',
    body: newSkill,
    response: { 201: agentSkill },
    errors: ['SKILL_ALREADY_EXISTS', ...WRITE_ERRORS],
    audit: 'skill.create',
  }).handle(async ({ agent, body: { slug, files, overwrite } }, { agentSkills }) => {
    const { skill } = await agentSkills.write(agent._id, slug, { files, overwrite })
    return skill
  }),

  route({
    method: 'PUT',
    path: '/agents/:id/skills/:slug',
    operation_id: 'writeAgentSkill',
    summary: 'Write a skill of an agent',
    description:
      'Creates the skill or replaces all of its files: files that the body does not have are removed. A replaced skill stays switched on or off.',
    guard: 'editor',
    params: skillParams,
    body: wholeSkill,
    response: { 200: agentSkill, 201: agentSkill },
    errors: [...WRITE_ERRORS],
    audit: 'skill.write',
  }).handle(async ({ agent, params, body: { files } }, { agentSkills }) => {
    const slug = assertSlug(params.slug)
    const { skill, outcome } = await agentSkills.write(agent._id, slug, { files, overwrite: true })
    return reply(outcome === 'made' ? 201 : 200, skill)
  }),

  route({
    method: 'PATCH',
    path: '/agents/:id/skills/:slug',
    operation_id: 'updateAgentSkill',
    summary: 'Switch a skill of an agent on or off',
    description:
      'The model does not see a skill that is off. It stays off when its files are replaced, and in published copies of the agent.',
    guard: 'editor',
    params: skillParams,
    body: skillSwitch,
    response: { 200: agentSkill },
    errors: ['SKILL_NOT_FOUND', 'SKILL_UNREADABLE', 'SKILLS_FOLDER_UNUSABLE'],
    etag: true,
    audit: 'skill.switch',
  }).handle(async (request, { agentSkills }) => {
    const { agent, params, body } = request
    const skill = await agentSkills.switch(agent._id, params.slug, body.enabled, request)
    return replyWithTag(200, skill, agentSkills.tagOf(skill))
  }),

  route({
    method: 'DELETE',
    path: '/agents/:id/skills/:slug',
    operation_id: 'deleteAgentSkill',
    summary: 'Delete a skill of an agent',
    description:
      "Removes the folder of the skill from the agent's workspace. The skill in a package that it was copied from stays.",
    guard: 'editor',
    params: skillParams,
    response: { 204: null },
    errors: ['SKILL_NOT_FOUND', 'SKILLS_FOLDER_UNUSABLE'],
    audit: 'skill.delete',
  }).handle(
    async ({ agent, params }, { agentSkills }) => void (await agentSkills.remove(agent._id, params.slug)),
  ),

  route({
    method: 'POST',
    path: '/agents/:id/skill-packages/:package_id/copy',
    operation_id: 'copyPackageSkills',
    summary: 'Copy skills of a package to an agent',
    description:
      'Copies skills as they are now; later changes of the package change nothing. Skills whose slugs are taken are listed as `skipped`, unless `overwrite` is true. If one of the skills does not exist, nothing is copied.',
    guard: 'editor',
    params: copyParams,
    body: copyOrder,
    response: { 200: copyOutcome },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_NOT_FOUND', 'SKILLS_FOLDER_UNUSABLE'],
    audit: 'skill.copy',
  }).handle(({ agent, caller, params, body: { skill_slugs: slugs, overwrite } }, { agentSkills }) =>
    agentSkills.copy(caller, agent._id, params.package_id, { slugs, overwrite }),
  ),

  route({
    method: 'POST',
    path: '/agents/:id/skills/:slug/push-to-package',
    operation_id: 'pushSkillToPackage',
    summary: 'Copy a skill of an agent to a package',
    description:
      'Copies the skill as it is now; later changes in the workspace change nothing. You can change packages of your own and those shared with you for changes, administrators all of them. A skill with the same slug in the package is replaced only if `overwrite` is true.',
    guard: ['permitted_owner', 'skill_packages'],
    params: skillParams,
    body: pushOrder,
    response: { 201: packageSkill },
    errors: [
      'SKILL_NOT_FOUND',
      'SKILL_PACKAGE_NOT_FOUND',
      'SKILL_ALREADY_EXISTS',
      'SKILL_UNREADABLE',
      'SKILL_TOO_LARGE',
      'SKILLS_FOLDER_UNUSABLE',
    ],
    audit: 'skill.push',
  }).handle(async ({ agent, caller, params, body }, { agentSkills }) =>
    toSkillRow(await agentSkills.push(caller, agent._id, { slug: params.slug, ...body })),
  ),
]
