import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'skills',
  summary: 'Skills of agents, and packages to share them',
  tag: {
    name: 'Skills',
    order: 26,
    description:
      'Instructions and files that an agent reads when a task needs them, in its workspace or in packages that accounts share.',
  },
  depends: ['users', 'auth', 'agents'],
  permissions: [
    {
      key: 'skill_packages',
      category: 'settings',
      label: { en: 'Skill packages', zh: '技能包' },
      description: {
        en: 'Create skill packages, change and delete your own, and change those that you may edit.',
        zh: '创建技能包，修改和删除自己的技能包，并修改您有编辑权限的技能包。',
      },
    },
  ],
  errors: {
    SKILL_ARCHIVE_INVALID: {
      status: 400,
      message: { en: 'The skill cannot be imported: {reason}.', zh: '无法导入该技能：{reason}。' },
    },
    SKILL_NOT_FOUND: {
      status: 404,
      message: { en: 'The skill does not exist.', zh: '找不到该技能。' },
    },
    SKILL_PACKAGE_NOT_FOUND: {
      status: 404,
      message: { en: 'The skill package does not exist.', zh: '找不到该技能包。' },
    },
    SKILL_ALREADY_EXISTS: {
      status: 409,
      message: { en: 'A skill "{slug}" already exists.', zh: '技能“{slug}”已存在。' },
    },
    SKILL_PACKAGE_NAME_TAKEN: {
      status: 409,
      message: { en: 'A skill package named "{name}" already exists.', zh: '已有名为“{name}”的技能包。' },
    },
    SKILL_UNREADABLE: {
      status: 409,
      message: { en: 'A file of the skill cannot be read: {path}', zh: '无法读取技能中的文件：{path}' },
    },
    SKILLS_FOLDER_UNUSABLE: {
      status: 409,
      message: {
        en: '"skills" cannot be used or is not a folder.',
        zh: '“skills”文件夹不可用，或者不是文件夹。',
      },
    },
    SKILL_CONTENTS_TOO_LARGE: {
      status: 413,
      message: {
        en: 'The files of this skill exceed {max_bytes} bytes, too much for one response.',
        zh: '该技能的文件总计超过 {max_bytes} 字节，无法在一次响应中返回。',
      },
    },
    SKILL_TOO_LARGE: {
      status: 413,
      message: {
        en: 'A skill or a whole package can have at most 2,000 files and 64 MiB, in paths at most 16 levels deep.',
        zh: '单个技能及整个技能包最多包含 2,000 个文件、64 MiB，路径最多 16 层。',
      },
    },
  },
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
