import type { Filter } from 'mongodb'
import { grantedAccess, isEditableBy, isOpenTo, type Shared } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { PublishedExpertDocument } from './character.ts'

/** The part of a caller that decides which published experts they see. */
export type Reader = Pick<AuthCaller, 'id' | 'role' | 'groups'>

/** Returns the condition that an account may see and install a published expert. */
export const readableBy = (reader: Reader): Filter<PublishedExpertDocument> =>
  reader.role === 'admin' ? {} : { $or: [...isOpenTo(reader).$or, { created_by_id: reader.id }] }

/** Returns the condition that an account may change a published expert. */
export const editableBy = (reader: Reader): Filter<PublishedExpertDocument> =>
  reader.role === 'admin' ? {} : { $or: [isEditableBy(reader), { created_by_id: reader.id }] }

/** True if an account has the rights of the publisher. */
export const isOwnerOf = (
  { created_by_id }: Pick<PublishedExpertDocument, 'created_by_id'>,
  { id, role }: Reader,
): boolean => created_by_id === id || role === 'admin'

/** True if an account may change a published expert that it sees. */
export const mayEdit = (
  expert: Shared & Pick<PublishedExpertDocument, 'created_by_id'>,
  reader: Reader,
): boolean => isOwnerOf(expert, reader) || grantedAccess(expert, reader) === 'edit'
