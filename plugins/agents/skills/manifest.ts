import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { skillErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'skills',
  summary: 'Skills of agents, and packages to share them',
  tag: {
    name: 'Skills',
    order: 26,
    description:
      'Instructions and files that an agent reads when a task needs them, in its workspace or in packages for everybody.',
  },
  depends: ['users', 'auth', 'agents'],
  permissions: [
    {
      key: 'skill_packages',
      category: 'settings',
      label: { en: 'Skill packages', zh: '技能包' },
      description: {
        en: 'Create skill packages, and change and delete own ones.',
        zh: '创建技能包，并修改和删除自己创建的技能包。',
      },
    },
  ],
  errors: skillErrors,
  limits: {
    skill_packages: { default: 50, description: 'Skill packages that an account has created' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    skills: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
