import type { components } from '#client'

export type SkillFile =
  | components['schemas']['NewSkillTextFile']
  | components['schemas']['NewSkillBinaryFile']

/** The file that every skill begins with. */
export const MAIN_FILE = 'SKILL.md'

/** The name of a folder for a skill's name: lower-case letters, digits and hyphens. */
export const toSlug = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 64)

/** The text with which a new skill begins. */
export const newSkill = (name: string, description: string) =>
  `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n\n# ${name}\n\n1. \n`
