import type { TurnSettings } from '../../conversations/chat/documents.ts'

/** Returns the tools and the form of the answer of a turn as a response shows them. */
export function showSettings({ client_tools, answer_format }: TurnSettings) {
  const { tools = [], must_call, is_sequential } = client_tools ?? {}
  return {
    parallel_tool_calls: is_sequential !== true,
    text: { format: showFormat(answer_format) },
    tool_choice: showChoice(must_call),
    tools: tools.map(({ name, description, input_schema, strict }) => ({
      type: 'function' as const,
      name,
      description,
      parameters: JSON.parse(input_schema) as object,
      strict: strict ?? false,
    })),
  }
}

function showFormat(format: TurnSettings['answer_format']): { type: string } {
  if (!format) return { type: 'text' }
  const { schema, strict = false, ...names } = format
  if (schema === undefined) return { type: 'json_object' }
  return { type: 'json_schema', name: 'answer', ...names, schema: JSON.parse(schema), strict } as {
    type: string
  }
}

function showChoice(must_call: NonNullable<TurnSettings['client_tools']>['must_call']) {
  if (!must_call) return 'auto' as const
  return must_call === 'any' ? ('required' as const) : { type: 'function', ...must_call }
}
