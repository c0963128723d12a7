import { localizedText, objectOf } from '#kernel'
import { PROFILES } from './catalog.ts'

const code = { enum: PROFILES.map((profile) => profile.code) } as const

/** PUT /agents/:id/mbti. */
export const personaChoice = objectOf(
  {
    code: {
      anyOf: [
        code,
        {
          type: 'string',
          maxLength: 8,
          pattern: '^([EeIi][NnSs][FfTt][JjPp]|_[Dd][Ee][Ff][Aa][Uu][Ll][Tt])$',
          description: 'One of these codes in whatever case',
        },
      ],
    },
  },
  ['code'],
)

/** How far a profile leans, and to which of two poles. */
const leaning = <const Poles extends readonly [string, string]>(poles: Poles) =>
  ({
    type: 'array',
    prefixItems: [{ enum: poles }, { type: 'integer', minimum: 50, maximum: 85, description: 'Percent' }],
    minItems: 2,
    maxItems: 2,
  }) as const

const shown = {
  code,
  name: localizedText,
  nickname: localizedText,
  description: localizedText,
  color: { type: 'string', pattern: '^#[0-9A-F]{6}$' },
  symbol: { type: 'string', description: 'One glyph' },
} as const

const shownNames = ['code', 'name', 'nickname', 'description', 'color', 'symbol'] as const

/** A persona in lists. */
export const personaRow = { title: 'Persona', ...objectOf(shown, shownNames) } as const

/** GET /mbti/codes. */
export const personaRows = { type: 'array', items: personaRow } as const

/** GET /mbti/codes/:code. */
export const personaProfile = {
  title: 'PersonaProfile',
  ...objectOf(
    {
      ...shown,
      summary: localizedText,
      descriptors: { type: 'array', items: localizedText, description: 'Single traits' },
      dimensions: objectOf(
        {
          ei: leaning(['E', 'I']),
          sn: leaning(['S', 'N']),
          tf: leaning(['T', 'F']),
          jp: leaning(['J', 'P']),
        },
        ['ei', 'sn', 'tf', 'jp'],
      ),
      behavior: {
        description: 'How such an assistant is told to speak and act',
        ...objectOf(
          {
            answer_style: localizedText,
            casual_chat: localizedText,
            conflict: localizedText,
            creativity: localizedText,
            emotion: localizedText,
            planning: localizedText,
          },
          ['answer_style', 'casual_chat', 'conflict', 'creativity', 'emotion', 'planning'],
        ),
      },
    },
    [...shownNames, 'summary', 'descriptors', 'dimensions', 'behavior'],
  ),
} as const
