import { personaCode as code, localizedText, rowOf } from '#plugin-api'

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
const leaning = <const Poles extends readonly [string, string]>(poles: Poles, example: Poles[number]) =>
  ({
    type: 'array',
    items: { type: ['string', 'integer'] },
    prefixItems: [
      { title: `PersonaPole${poles.join('') as Uppercase<string>}`, enum: poles },
      { type: 'integer', minimum: 50, maximum: 85, description: 'Percent' },
    ],
    minItems: 2,
    maxItems: 2,
    examples: [[example, 70]],
  }) as const

const row = {
  code,
  name: { ...localizedText, examples: [{ en: 'Logistician', zh: '物流师' }] },
  nickname: { ...localizedText, examples: [{ en: 'Steady Anchor', zh: '定海神针' }] },
  description: {
    ...localizedText,
    examples: [
      {
        en: 'Checks the facts, keeps to the order and finishes what it begins.',
        zh: '核实事实，按部就班，有始有终。',
      },
    ],
  },
  color: { type: 'string', pattern: '^#[0-9A-F]{6}$', examples: ['#1D4ED8'] },
  symbol: { type: 'string', description: 'One glyph', examples: ['▣'] },
} as const

const instruction = {
  ...localizedText,
  examples: [{ en: 'Answer in numbered steps, complete and in order.', zh: '用编号步骤作答，完整而有序。' }],
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
    summary: {
      ...localizedText,
      examples: [{ en: 'Relies on what is written down and proven.', zh: '信赖白纸黑字、经过验证的东西。' }],
    },
    descriptors: {
      type: 'array',
      items: localizedText,
      description: 'Single traits',
      examples: [[{ en: 'reliable', zh: '可靠' }]],
    },
    dimensions: rowOf({
      ei: leaning(['E', 'I'], 'I'),
      sn: leaning(['S', 'N'], 'S'),
      tf: leaning(['T', 'F'], 'T'),
      jp: leaning(['J', 'P'], 'J'),
    }),
    behavior: {
      description: 'Instructions on how such an assistant speaks and acts',
      ...rowOf({
        answer_style: instruction,
        casual_chat: instruction,
        conflict: instruction,
        creativity: instruction,
        emotion: instruction,
        planning: instruction,
      }),
    },
  }),
} as const
