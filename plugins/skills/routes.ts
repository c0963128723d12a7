import { objectOf, reply } from '#kernel'
import { pageQuery, pageReply } from '#toolbox'
import { route } from './manifest.ts'
import { toSkillRow } from './package-routes.ts'
import {
  agentSkill,
  agentSkillDetail,
  agentSkills,
  copyOrder,
  copyOutcome,
  detailOptions,
  newSkill,
  packageSkill,
  pushOrder,
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
    summary: "The skills in an agent's workspace",
    guard: 'owner',
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
    summary: "One skill in an agent's workspace, with its SKILL.md and its files",
    guard: 'owner',
    query: detailOptions,
    response: { 200: agentSkillDetail },
    errors: ['SKILL_NOT_FOUND', 'SKILL_UNREADABLE', 'SKILL_CONTENTS_TOO_LARGE', 'SKILLS_FOLDER_UNUSABLE'],
  }).handle(({ agent, params, query }, { agentSkills }) => agentSkills.find(agent._id, params.slug!, query)),

  route({
    method: 'POST',
    path: '/agents/:id/skills',
    operation_id: 'createAgentSkill',
    summary: "Add a skill to an agent's workspace as a list of files",
    guard: 'owner',
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
    summary: "Write a skill of an agent's workspace as a whole, replacing its files",
    guard: 'owner',
    body: wholeSkill,
    response: { 200: agentSkill, 201: agentSkill },
    errors: [...WRITE_ERRORS],
    audit: 'skill.write',
  }).handle(async ({ agent, params, body: { files } }, { agentSkills }) => {
    const slug = assertSlug(params.slug!)
    const { skill, outcome } = await agentSkills.write(agent._id, slug, { files, overwrite: true })
    return reply(outcome === 'made' ? 201 : 200, skill)
  }),

  route({
    method: 'PATCH',
    path: '/agents/:id/skills/:slug',
    operation_id: 'updateAgentSkill',
    summary: "Switch a skill of an agent's workspace on or off; the model does not see a skill that is off",
    guard: 'owner',
    body: skillSwitch,
    response: { 200: agentSkill },
    errors: ['SKILL_NOT_FOUND', 'SKILL_UNREADABLE', 'SKILLS_FOLDER_UNUSABLE'],
    audit: 'skill.switch',
  }).handle(({ agent, params, body }, { agentSkills }) =>
    agentSkills.switch(agent._id, params.slug!, body.enabled),
  ),

  route({
    method: 'DELETE',
    path: '/agents/:id/skills/:slug',
    operation_id: 'deleteAgentSkill',
    summary: "Delete a skill from an agent's workspace",
    guard: 'owner',
    response: { 204: null },
    errors: ['SKILL_NOT_FOUND', 'SKILLS_FOLDER_UNUSABLE'],
    audit: 'skill.delete',
  }).handle(
    async ({ agent, params }, { agentSkills }) => void (await agentSkills.remove(agent._id, params.slug!)),
  ),

  route({
    method: 'POST',
    path: '/agents/:id/skill-packages/:package_id/copy',
    operation_id: 'copyPackageSkills',
    summary: "Copy skills of a package into an agent's workspace, as they are now",
    guard: 'owner',
    body: copyOrder,
    response: { 200: copyOutcome },
    errors: ['SKILL_PACKAGE_NOT_FOUND', 'SKILL_NOT_FOUND', 'SKILLS_FOLDER_UNUSABLE'],
    audit: 'skill.copy',
  }).handle(({ agent, params, body: { skill_slugs: slugs, overwrite } }, { agentSkills }) =>
    agentSkills.copy(agent._id, params.package_id!, { slugs, overwrite }),
  ),

  route({
    method: 'POST',
    path: '/agents/:id/skills/:slug/push-to-package',
    operation_id: 'pushSkillToPackage',
    summary: "Copy a skill of an agent's workspace into a package, as it is now",
    guard: ['permitted_owner', 'skill_packages'],
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
    toSkillRow(await agentSkills.push(caller, agent._id, { slug: params.slug!, ...body })),
  ),
]
