import type { QueryKey } from '@tanstack/react-query'
import { queries } from './queries.ts'

/** Returns the data of a call; throws the error that the server answered with. */
export async function unwrap<Data>(call: Promise<{ data?: Data; error?: unknown }>): Promise<Data> {
  const { data, error } = await call
  if (error !== undefined) throw error
  return data as Data
}

/** Has lists and objects read again, by their paths, with whatever parameters they were asked for. */
export async function refresh(...paths: string[]): Promise<void> {
  const hasChanged = ({ queryKey }: { queryKey: QueryKey }) => paths.includes(String(queryKey[1]))
  await queries.invalidateQueries({ predicate: hasChanged })
}
