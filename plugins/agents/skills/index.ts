import { createShareable, definePlugin, grantRoutes, listNames, sharingIndexes } from '#plugin-api'
import { type AgentSkills, createAgentSkills } from './agent-skills.ts'
import { manifest } from './manifest.ts'
import { packageRoutes } from './package-routes.ts'
import { createPackageSkills, type PackageSkills } from './package-skills.ts'
import { agentSkillRoutes } from './routes.ts'
import { createSkillIndex, type SkillIndex } from './skill-index.ts'
import { createSkillPackages, type SkillPackages } from './skill-packages.ts'
import { createSkillStore, type SkillStore } from './skill-store.ts'
import type { SkillPackageDocument } from './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    skills: {
      agentSkills: AgentSkills
      packageSkills: PackageSkills
      skillStore: SkillStore
      skillIndex: SkillIndex
      skillPackages: SkillPackages
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('skill_packages', {
      indexes: [{ key: { name_key: 1 }, unique: true }, { key: { created_by_id: 1 } }, ...sharingIndexes],
    })
    host.limit('skill_packages', ({ collections }, created_by_id) =>
      collections.skill_packages.countDocuments({ created_by_id }),
    )
    host.service('skillStore', createSkillStore)
    host.service('skillPackages', createSkillPackages)
    host.service('packageSkills', createPackageSkills)
    host.service('agentSkills', createAgentSkills)
    host.service('skillIndex', createSkillIndex)
    host.routes([...agentSkillRoutes, ...packageRoutes])
    host.routes(
      grantRoutes({
        kind: 'skill_package',
        path: '/skill-packages/:id',
        title: 'SkillPackage',
        noun: 'a skill package',
        missing: 'SKILL_PACKAGE_NOT_FOUND',
      }),
    )
    host.extend('agents.instructions', async ({ agent }, { agents, skillIndex }) => {
      const text = await skillIndex.describe(agents.workspaceOf(agent._id))
      return text ? { resources: [text] } : undefined
    })
    host.extend('agents.removal', ({ agent_id }, { agents, skillIndex }) =>
      skillIndex.forget(agents.workspaceOf(agent_id)),
    )
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.skill_packages, ids, { kind: 'skill_package', field: 'name' }),
    )
    host.extend(
      'groups.shareables',
      createShareable<SkillPackageDocument>({
        name: 'skill_package',
        label: { en: 'Skill package', zh: '技能包' },
        access: ['use', 'edit'],
        is_open: true,
        collection: () => host.cradle.collections.skill_packages,
        owner: 'created_by_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.skillPackages.find(caller, key),
        changed: () => undefined,
      }),
    )
    host.extend('users.removal', ({ user_id }, { skillPackages }) => skillPackages.removeAllOf(user_id))
    host.job({
      name: 'skill-packages-cleaning',
      every_seconds: 1800,
      run: ({ skillPackages }, signal) => skillPackages.clean(signal),
    })
  },
})
