import { nullable, objectOf, rowOf } from '#plugin-api'
import { SLUG_PATTERN } from './skill-rules.ts'

const time = { type: 'integer', description: 'Unix seconds' } as const
const count = { type: 'integer', minimum: 0 } as const
const slug = {
  type: 'string',
  // Looser than a valid slug, so that an unknown skill is reported as not found.
  minLength: 1,
  maxLength: 64,
} as const
const newSlug = {
  type: 'string',
  pattern: SLUG_PATTERN,
  description: 'The name of the folder: small letters, digits, `-` and `_`',
  examples: ['charts'],
} as const

const pathSlug = { type: 'string', description: 'The slug of a skill' } as const
const packageId = { type: 'string', description: 'The id of a package' } as const

/** The path of a skill in a workspace. */
export const skillParams = rowOf({ slug: pathSlug })

/** The path of a package whose skills are copied. */
export const copyParams = rowOf({ package_id: packageId })

/** The path of a package. */
export const packageParams = rowOf({ id: packageId })

/** The path of a skill in a package. */
export const packageSkillParams = rowOf({ id: packageId, slug: pathSlug })

const name = {
  type: 'string',
  maxLength: 256,
  pattern: '^\\s*[^\\s\\p{Cc}\\p{Cs}]([^\\p{Cc}\\p{Cs}]{0,62}[^\\s\\p{Cc}\\p{Cs}])?\\s*$',
  description: '1 to 64 characters, none of them a control character; surrounding spaces are trimmed',
  examples: ['Reporting'],
} as const
const description = {
  ...nullable({ type: 'string', maxLength: 2000 }),
  examples: ['How our team writes reports'],
} as const
const overwrite = {
  type: 'boolean',
  default: false,
  description: 'True to replace an existing skill',
} as const

const packageFields = {
  id: { type: 'string' },
  name: { type: 'string', examples: ['Reporting'] },
  description: nullable({ type: 'string', examples: ['How our team writes reports'] }),
  created_by: { type: 'string', description: 'A username', examples: ['ada'] },
  is_owner: { type: 'boolean', description: 'True if the caller has created the package' },
  can_edit: { type: 'boolean', description: 'True if the caller may change it and its skills' },
  skill_count: count,
  created_at: time,
  updated_at: time,
} as const

const skillFields = {
  slug: { type: 'string', description: 'The name of its folder', examples: ['charts'] },
  name: { type: 'string', description: 'From SKILL.md, or else the slug', examples: ['Charts'] },
  description: {
    type: 'string',
    description: 'From SKILL.md, or else its first line of text',
    examples: ['Draws charts from tables'],
  },
  files: {
    ...count,
    description: 'The number of its files; counting stops soon after the limits for copies',
    examples: [2],
  },
  bytes: { ...count, description: 'The size of its files', examples: [1840] },
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

/** The SKILL.md of the examples. */
const SKILL_MD =
  '---\nname: Charts\ndescription: Draws charts from tables\n---\n\nChoose bars for amounts, lines for time.\n'

const shownText = { type: 'string', examples: [SKILL_MD] } as const
const shownPath = { type: 'string', examples: ['SKILL.md'] } as const
const executable = { type: 'boolean', description: 'True if the file can be run' } as const

const detailFields = {
  content: { type: 'string', description: 'SKILL.md, at most its first 256 KiB', examples: [SKILL_MD] },
  paths: {
    type: 'array',
    items: shownPath,
    description: 'The paths of its files, relative to its folder',
  },
  contents: {
    type: 'array',
    items: {
      anyOf: [
        {
          title: 'SkillTextFile',
          ...rowOf({ path: shownPath, content: shownText, executable }, ['executable']),
        },
        {
          title: 'SkillBinaryFile',
          ...rowOf({ path: shownPath, content_base64: { type: 'string' }, executable }, ['executable']),
        },
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

const path = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  description: 'Relative to the folder of the skill',
  examples: ['SKILL.md'],
} as const

/** The contents are `writeOnly`, so that the audit log does not have them. */
const files = {
  type: 'array',
  minItems: 1,
  maxItems: 2000,
  items: {
    anyOf: [
      {
        title: 'NewSkillTextFile',
        ...rowOf({ path, content: { type: 'string', writeOnly: true, examples: [SKILL_MD] }, executable }, [
          'executable',
        ]),
      },
      {
        title: 'NewSkillBinaryFile',
        ...rowOf({ path, content_base64: { type: 'string', format: 'byte', writeOnly: true }, executable }, [
          'executable',
        ]),
      },
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
export const addedSkills = {
  title: 'AddedSkills',
  ...rowOf({ skills: { type: 'array', items: packageSkill } }),
} as const

export const copyOrder = objectOf(
  {
    skill_slugs: {
      type: 'array',
      items: slug,
      minItems: 1,
      maxItems: 64,
      uniqueItems: true,
      examples: [['charts']],
    },
    overwrite,
  },
  ['skill_slugs'],
)

const slugs = {
  type: 'array',
  items: { type: 'string' },
  description: 'Slugs',
  examples: [['charts']],
} as const

/** The skills that were copied, and those that were skipped because their name was taken. */
export const copyOutcome = {
  title: 'CopiedSkills',
  ...rowOf({ copied: slugs, skipped: { ...slugs, description: 'Slugs that were taken', examples: [[]] } }),
} as const

export const pushOrder = objectOf(
  { package_id: { type: 'string', minLength: 1, maxLength: 64 }, overwrite },
  ['package_id'],
)
