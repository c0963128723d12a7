import { plugin } from '#kernel'
import { type AgentSkills, createAgentSkills } from './agent-skills.ts'
import { skillErrors } from './errors.ts'
import { packageRoutes } from './package-routes.ts'
import { createPackageSkills, type PackageSkills } from './package-skills.ts'
import { agentSkillRoutes } from './routes.ts'
import { createShelves, type Shelves } from './shelves.ts'
import { createSkillIndex, type SkillIndex } from './skill-index.ts'
import { createSkillPackages, type SkillPackages } from './skill-packages.ts'
import './types.ts'

declare module '#kernel/types' {
  interface Services {
    agentSkills: AgentSkills
    packageSkills: PackageSkills
    shelves: Shelves
    skillIndex: SkillIndex
    skillPackages: SkillPackages
  }
}

export default plugin({
  name: 'skills',
  summary: 'Skills of agents, and packages to pass them on',
  depends: ['users', 'auth', 'agents'],
  permissions: [
    {
      key: 'skill_packages',
      category: 'settings',
      label: { en: 'Skill packages', zh: '技能包' },
      description: {
        en: 'Create skill packages, and change and delete those created oneself.',
        zh: '创建技能包，并修改和删除自己创建的技能包。',
      },
    },
  ],
  errors: skillErrors,
  setup(host) {
    host.collection('skill_packages', {
      indexes: [{ key: { name_key: 1 }, unique: true }, { key: { created_by_id: 1 } }],
    })
    host.limit('skill_packages', ({ collections }, created_by_id) =>
      collections.skill_packages.countDocuments({ created_by_id }),
    )
    host.service('shelves', createShelves)
    host.service('skillPackages', createSkillPackages)
    host.service('packageSkills', createPackageSkills)
    host.service('agentSkills', createAgentSkills)
    host.service('skillIndex', createSkillIndex)
    host.routes([...agentSkillRoutes, ...packageRoutes])
    host.on('agent.instructed', async ({ agent, instructions }, { agents, skillIndex }) => {
      const text = await skillIndex.describe(agents.workspaceOf(agent._id))
      if (text) instructions.resources.push(text)
    })
    host.on('agent.deleted', ({ agent_id }, { agents, skillIndex }) =>
      skillIndex.forget(agents.workspaceOf(agent_id)),
    )
    host.on('user.deleted', ({ user_id }, { skillPackages }) => skillPackages.removeAllOf(user_id))
    host.job({
      name: 'skill-packages-cleaning',
      every_seconds: 1800,
      run: ({ skillPackages }, signal) => skillPackages.clean(signal),
    })
  },
})
