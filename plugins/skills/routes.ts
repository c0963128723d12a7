import { route } from '#kernel'
import { showSkill } from './package-routes.ts'
import { agentSkillDetail, agentSkills, copyOrder, copyOutcome, packageSkill, pushOrder } from './schemas.ts'

/** The routes of the skills in an agent's workspace. */
export const agentSkillRoutes = [
  route({
    method: 'GET',
    path: '/agents/:id/skills',
    summary: "The skills in an agent's workspace",
    guard: 'owner',
    response: { 200: agentSkills },
    errors: ['SKILLS_FOLDER_UNUSABLE'],
  }).handle(({ agent }, { agentSkills }) => agentSkills.list(agent._id)),

  route({
    method: 'GET',
    path: '/agents/:id/skills/:slug',
    summary: "One skill in an agent's workspace, with its SKILL.md and the paths of its files",
    guard: 'owner',
    response: { 200: agentSkillDetail },
    errors: ['SKILL_NOT_FOUND', 'SKILL_UNREADABLE', 'SKILLS_FOLDER_UNUSABLE'],
  }).handle(({ agent, params }, { agentSkills }) => agentSkills.find(agent._id, params.slug!)),

  route({
    method: 'DELETE',
    path: '/agents/:id/skills/:slug',
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
    showSkill(await agentSkills.push(caller, agent._id, { slug: params.slug!, ...body })),
  ),
]
