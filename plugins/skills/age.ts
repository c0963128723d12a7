import { decodeTime } from 'ulid'
import type { Ids } from '#kernel'

/** How many milliseconds ago an id was made, by the time that ids are made with. */
export const ageOf = (id: string, ids: Ids): number => decodeTime(ids.make()) - decodeTime(id)
