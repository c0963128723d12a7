/** The template of the assistant that every new account gets. */
export const DEFAULT_TEMPLATE = 'general-assistant'

/** Names that `template_name` may have. */
export function listTemplates(): string[] {
  return [DEFAULT_TEMPLATE]
}
