import { makeTag, objectOf, pageQuery, pageReply, type Route, replyWithTag, showManaged } from '#plugin-api'
import { type GroupDocument, groupFields } from './groups.ts'
import { type Cradle, route } from './manifest.ts'
import {
  type GroupRow,
  groupChanges,
  groupParams,
  groupQuery,
  groupRow,
  groupRows,
  memberParams,
  memberRows,
  newGroup,
} from './schemas.ts'

const guard = ['permission', 'users'] as const

/** Returns groups as the API shows them. */
export async function toGroupRows(
  rows: readonly GroupDocument[],
  { users }: Pick<Cradle, 'users'>,
): Promise<GroupRow[]> {
  const counts = await users.countMembers(rows.map(({ _id }) => _id))
  return rows.map(({ _id: id, name_key, managed, ...group }) => {
    return { id, ...group, member_count: counts.get(id) ?? 0, ...showManaged({ managed }) }
  })
}

const showGroup = async <const Status extends number>(
  status: Status,
  group: GroupDocument,
  cradle: Pick<Cradle, 'users'>,
) => {
  const [row] = await toGroupRows([group], cradle)
  return replyWithTag(status, row!, makeTag(group, groupFields))
}

/** The routes of groups and their members. */
export const groupRoutes: Route<Cradle>[] = [
  route({
    method: 'GET',
    path: '/groups',
    operation_id: 'listGroups',
    summary: 'List the groups',
    description: 'Lists the groups by name, each with its rights and the number of its members.',
    guard,
    query: groupQuery,
    response: { 200: groupRows },
  }).handle(async ({ query }, cradle) => {
    const { rows, next } = await cradle.groups.list(query.q, query)
    return pageReply(query, { rows: await toGroupRows(rows, cradle), next })
  }),

  route({
    method: 'POST',
    path: '/groups',
    operation_id: 'createGroup',
    summary: 'Create a group',
    description:
      'Creates an empty group. Its members have its permissions besides their own, from their next request on. Callers grant only permissions that they hold themselves.',
    guard,
    body: newGroup,
    response: { 201: groupRow },
    errors: ['GROUP_NAME_TAKEN', 'GRANT_EXCEEDS'],
    etag: true,
    audit: { action: 'group.create', target: 'name' },
  }).handle(async ({ caller, body }, cradle) =>
    showGroup(201, await cradle.groupRules.create(caller, body), cradle),
  ),

  route({
    method: 'GET',
    path: '/groups/:id',
    operation_id: 'getGroup',
    summary: 'Get a group',
    description: 'Returns a group with its rights and the number of its members.',
    guard,
    params: groupParams,
    response: { 200: groupRow },
    errors: ['GROUP_NOT_FOUND'],
    etag: true,
  }).handle(async ({ params }, cradle) => showGroup(200, await cradle.groups.find(params.id), cradle)),

  route({
    method: 'PATCH',
    path: '/groups/:id',
    operation_id: 'updateGroup',
    summary: 'Change a group',
    description:
      'Changes the given fields; null clears a field. The rights of all members follow within a second. Callers grant and revoke only permissions that they hold themselves, and only an administrator changes the limits of a group that they are in.',
    guard,
    params: groupParams,
    body: groupChanges,
    response: { 200: groupRow },
    errors: ['GROUP_NOT_FOUND', 'GROUP_NAME_TAKEN', 'GRANT_EXCEEDS', 'SELF_LIMITS'],
    etag: true,
    audit: 'group.update',
  }).handle(async (request, cradle) => {
    const { caller, params, body } = request
    return showGroup(200, await cradle.groupRules.update(caller, params.id, body, request), cradle)
  }),

  route({
    method: 'DELETE',
    path: '/groups/:id',
    operation_id: 'deleteGroup',
    summary: 'Delete a group',
    description:
      'Deletes a group. Its members lose what only this group gave them, and what was shared with it; nothing else of theirs changes. The group that the first start has made stays.',
    guard,
    params: groupParams,
    response: { 204: null },
    errors: ['GROUP_NOT_FOUND', 'GROUP_NEEDED', 'GRANT_EXCEEDS', 'SELF_LIMITS'],
    audit: 'group.delete',
  }).handle(async ({ caller, params, note }, { groupRules, sharing }) => {
    const { _id, name } = await groupRules.remove(caller, params.id)
    note({ name })
    await sharing.forget(`group:${_id}`)
  }),

  route({
    method: 'GET',
    path: '/groups/:id/members',
    operation_id: 'listGroupMembers',
    summary: 'List the members of a group',
    description: 'Lists the accounts in a group by username, the disabled ones included.',
    guard,
    params: groupParams,
    query: objectOf(pageQuery),
    response: { 200: memberRows },
    errors: ['GROUP_NOT_FOUND'],
  }).handle(async ({ params, query }, { groups, users }) => {
    const { _id } = await groups.find(params.id)
    const { rows, next } = await users.listMembers(_id, query)
    const members = rows.map(({ _id: id, username, display_name, enabled }) => {
      return { id, username, display_name, enabled }
    })
    return pageReply(query, { rows: members, next })
  }),

  route({
    method: 'PUT',
    path: '/groups/:id/members/:username',
    operation_id: 'addGroupMember',
    summary: 'Add a member to a group',
    description:
      'Puts an account into a group; somebody who is in it already stays in it. Callers add only to groups whose permissions they hold themselves.',
    guard,
    params: memberParams,
    response: { 204: null },
    errors: ['GROUP_NOT_FOUND', 'NOT_FOUND', 'GRANT_EXCEEDS', 'SELF_LIMITS', 'ADMINISTRATOR_PROTECTED'],
    audit: 'group.add_member',
  }).handle(async ({ caller, params }, { groupRules }) => {
    await groupRules.addMember(caller, params.id, params.username)
  }),

  route({
    method: 'DELETE',
    path: '/groups/:id/members/:username',
    operation_id: 'removeGroupMember',
    summary: 'Take a member out of a group',
    description:
      'Takes an account out of a group; it loses what only this group gave it, and what was shared with the group, within a second.',
    guard,
    params: memberParams,
    response: { 204: null },
    errors: ['GROUP_NOT_FOUND', 'NOT_FOUND', 'GRANT_EXCEEDS', 'SELF_LIMITS', 'ADMINISTRATOR_PROTECTED'],
    audit: 'group.remove_member',
  }).handle(async ({ caller, params }, { groupRules }) => {
    await groupRules.removeMember(caller, params.id, params.username)
  }),
]
