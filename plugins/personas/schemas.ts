import { localizedText, rowOf } from '#kernel'
import { personaCode as code } from '#plugin-api'

/** The path of a persona. */
export const personaParams = rowOf({
  code: { type: 'string', description: 'One of the sixteen types or `_default`, in any case' },
})

/** PUT /agents/:id/mbti. */
export const personaChoice = rowOf({
  code: {
    anyOf: [
      code,
      {
        type: 'string',
        maxLength: 8,
        pattern: '^([EeIi][NnSs][FfTt][JjPp]|_[Dd][Ee][Ff][Aa][Uu][Ll][Tt])$',
        description: 'One of these codes in any case',
      },
    ],
  },
})

/** The pole to which a profile leans, and how far: 50 is the middle. */
const leaning = <const Poles extends readonly [string, string]>(poles: Poles) =>
  ({
    type: 'array',
    items: { type: ['string', 'integer'] },
    prefixItems: [
      { title: `PersonaPole${poles.join('') as Uppercase<string>}`, enum: poles },
      { type: 'integer', minimum: 50, maximum: 85, description: 'Percent' },
    ],
    minItems: 2,
    maxItems: 2,
    examples: [[poles[0], 70]],
  }) as const

const row = {
  code,
  name: { ...localizedText, examples: [{ en: 'Logistician', zh: '物流师' }] },
  nickname: { ...localizedText, examples: [{ en: 'The Steady Hand', zh: '可靠的执行者' }] },
  description: {
    ...localizedText,
    examples: [{ en: 'Careful, factual and orderly.', zh: '细致、务实、有条理。' }],
  },
  color: { type: 'string', pattern: '^#[0-9A-F]{6}$', examples: ['#4B7BEC'] },
  symbol: { type: 'string', description: 'One glyph', examples: ['◆'] },
} as const

/** A persona in a list. */
const personaRow = { title: 'Persona', ...rowOf(row) } as const

/** GET /mbti/codes. */
export const personaRows = { type: 'array', items: personaRow } as const

/** GET /mbti/codes/:code. */
export const personaProfile = {
  title: 'PersonaProfile',
  ...rowOf({
    ...row,
    summary: localizedText,
    descriptors: { type: 'array', items: localizedText, description: 'Single traits' },
    dimensions: rowOf({
      ei: leaning(['E', 'I']),
      sn: leaning(['S', 'N']),
      tf: leaning(['T', 'F']),
      jp: leaning(['J', 'P']),
    }),
    behavior: {
      description: 'Instructions on how such an assistant speaks and acts',
      ...rowOf({
        answer_style: localizedText,
        casual_chat: localizedText,
        conflict: localizedText,
        creativity: localizedText,
        emotion: localizedText,
        planning: localizedText,
      }),
    },
  }),
} as const
