import { nullable, objectOf, rowOf } from '#kernel'
import { SLUG_PATTERN } from './skill-rules.ts'

const time = { type: 'integer', description: 'Unix seconds' } as const
const count = { type: 'integer', minimum: 0 } as const
const slug = {
  type: 'string',
  // Looser than a valid slug, so that an unknown skill is reported as not found.
  minLength: 1,
  maxLength: 64,
} as const
const newSlug = { type: 'string', pattern: SLUG_PATTERN } as const

const name = {
  type: 'string',
  maxLength: 256,
  pattern: '^\\s*[^\\s\\p{Cc}\\p{Cs}]([^\\p{Cc}\\p{Cs}]{0,62}[^\\s\\p{Cc}\\p{Cs}])?\\s*$',
  description: '1 to 64 characters, none of them a control character; surrounding spaces are trimmed',
} as const
const description = nullable({ type: 'string', maxLength: 2000 })
const overwrite = {
  type: 'boolean',
  default: false,
  description: 'True to replace an existing skill',
} as const

const packageFields = {
  id: { type: 'string' },
  name: { type: 'string' },
  description: nullable({ type: 'string' }),
  created_by: { type: 'string', description: 'A username' },
  skill_count: count,
  created_at: time,
  updated_at: time,
} as const

const skillFields = {
  slug: { type: 'string' },
  name: { type: 'string', description: 'From SKILL.md, or else the slug' },
  description: { type: 'string', description: 'From SKILL.md, or else its first line of text' },
  files: { ...count, description: 'Counting stops soon after the limits for copies' },
  bytes: count,
} as const

/** A skill in a package. */
export const packageSkill = { title: 'PackageSkill', ...rowOf(skillFields) } as const

const agentSkillFields = {
  ...skillFields,
  updated_at: time,
  enabled: { type: 'boolean', description: 'True if the model sees the skill' },
} as const

/** A skill in a workspace. */
export const agentSkill = { title: 'AgentSkill', ...rowOf(agentSkillFields) } as const

export const agentSkills = { type: 'array', items: agentSkill } as const

const shownText = { type: 'string' } as const
const executable = { type: 'boolean', description: 'True if the file can be run' } as const

const detailFields = {
  content: { type: 'string', description: 'SKILL.md, at most its first 256 KiB' },
  paths: {
    type: 'array',
    items: shownText,
    description: 'The paths of its files, relative to its folder',
  },
  contents: {
    type: 'array',
    items: {
      anyOf: [
        rowOf({ path: shownText, content: shownText, executable }, ['executable']),
        rowOf({ path: shownText, content_base64: shownText, executable }, ['executable']),
      ],
    },
    description: 'If requested, its files with their contents in the form of a PUT; Base64 for binary files',
  },
} as const

/** GET /agents/:id/skills/:slug. */
export const agentSkillDetail = {
  title: 'AgentSkillDetail',
  ...rowOf({ ...agentSkillFields, ...detailFields }, ['contents']),
} as const

/** GET /skill-packages/:id/skills/:slug. */
export const packageSkillDetail = {
  title: 'PackageSkillDetail',
  ...rowOf({ ...skillFields, ...detailFields }, ['contents']),
} as const

/** The query of both. */
export const detailOptions = objectOf({
  contents: {
    type: 'boolean',
    default: false,
    description: 'Adds the contents of the files, at most 1 MiB in total',
  },
})

export const skillPackage = { title: 'SkillPackage', ...rowOf(packageFields) } as const

export const skillPackages = { type: 'array', items: skillPackage } as const

/** GET /skill-packages/:id. */
export const skillPackageDetail = {
  title: 'SkillPackageDetail',
  ...rowOf({ ...packageFields, skills: { type: 'array', items: packageSkill } }),
} as const

export const newPackage = objectOf({ name, description }, ['name'])

export const packageChanges = objectOf({ name, description })

const path = { type: 'string', minLength: 1, maxLength: 4096 } as const

/** The contents are `writeOnly`, so that the audit log does not have them. */
const files = {
  type: 'array',
  minItems: 1,
  maxItems: 2000,
  items: {
    anyOf: [
      rowOf({ path, content: { type: 'string', writeOnly: true }, executable }, ['executable']),
      rowOf({ path, content_base64: { type: 'string', format: 'byte', writeOnly: true }, executable }, [
        'executable',
      ]),
    ],
  },
  description: 'All of its files, including SKILL.md',
} as const

/** A skill as JSON. */
export const newSkill = rowOf({ slug: newSlug, files, overwrite }, ['overwrite'])

/** PUT of a skill, which is created or replaced as a whole. */
export const wholeSkill = rowOf({ files })

/** PATCH /agents/:id/skills/:slug. */
export const skillSwitch = rowOf({ enabled: agentSkillFields.enabled })

/** The query of an upload, whose form holds only the file. */
export const uploadOptions = objectOf({
  slug: {
    ...newSlug,
    description: 'For an archive with one skill; by default made from its name in the archive',
  },
  overwrite,
})

/** The skills that an upload added. */
export const addedSkills = rowOf({ skills: { type: 'array', items: packageSkill } })

export const copyOrder = objectOf(
  {
    skill_slugs: { type: 'array', items: slug, minItems: 1, maxItems: 64, uniqueItems: true },
    overwrite,
  },
  ['skill_slugs'],
)

const slugs = { type: 'array', items: { type: 'string' } } as const

/** The skills that were copied, and those that were skipped because their name was taken. */
export const copyOutcome = rowOf({ copied: slugs, skipped: slugs })

export const pushOrder = objectOf(
  { package_id: { type: 'string', minLength: 1, maxLength: 64 }, overwrite },
  ['package_id'],
)
