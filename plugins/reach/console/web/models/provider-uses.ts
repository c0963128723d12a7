/** Something that uses a provider: an agent, or the default model by the id "active". */
export interface Use {
  id: string
  name: string
}

/** Reads what uses a provider from the refusal to delete it. */
export function readUses(error: unknown): Use[] {
  const { details } =
    (error as { error?: { details?: { active_model?: string; agents?: Use[] } } }).error ?? {}
  return [
    ...(details?.active_model ? [{ id: 'active', name: details.active_model }] : []),
    ...(details?.agents ?? []),
  ]
}
