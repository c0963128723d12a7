import { assertSchema, compileFor, createFormCheck, localizedText } from '#kernel'
import type { Tool } from '#plugin-api'

const assertForm = createFormCheck<Tool>(
  {
    type: 'object',
    properties: {
      name: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,63}$' },
      label: localizedText,
      description: { type: 'string', minLength: 1 },
      input_schema: { type: 'object' },
      disableable: { type: 'boolean' },
      opt_in: { const: true },
      top_level_only: { type: 'boolean' },
      permission: { type: 'string' },
      needsApproval: true,
      execute: true,
    },
    required: ['name', 'label', 'description', 'input_schema', 'disableable', 'execute'],
    additionalProperties: false,
  },
  ['needsApproval', 'execute'],
)

/** Checks the form of a tool that a plugin brings, and its schema. */
export function assertTool(candidate: unknown): Tool {
  const subject = `tool "${(candidate as { name?: unknown } | null)?.name}"`
  const tool = assertForm(candidate, subject)
  compileFor(subject, () => assertSchema(tool.input_schema))
  return tool
}
