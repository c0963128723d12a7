import type { ChannelFailureReason } from '#plugin-api'
import { indexReasons } from '#toolbox'

/** Slack's error codes by their reason. All others are unknown. */
const REASONS = indexReasons({
  invalid_credentials:
    'not_authed invalid_auth account_inactive user_removed_from_team team_disabled token_revoked token_expired not_allowed_token_type'.split(
      ' ',
    ),
  forbidden:
    'missing_scope no_permission access_denied accesslimited ekm_access_denied restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel restricted_action_non_threadable_channel restricted_action_thread_locked thread_locked cannot_reply_to_message not_in_channel user_not_in_channel is_archived is_inactive channel_is_frozen posting_to_general_channel_denied messages_tab_disabled enterprise_is_restricted team_access_not_granted org_login_required two_factor_setup_required cant_update_message cannot_update_message edit_window_closed operation_not_allowed user_is_bot user_is_restricted user_disabled cannot_dm_bot file_uploads_disabled file_uploads_except_images_disabled slack_connect_file_upload_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_canvas_sharing_blocked slack_connect_lists_sharing_blocked slack_connect_clip_sharing_blocked slack_connect_blocked_file_type'.split(
      ' ',
    ),
  not_found:
    'channel_not_found duplicate_channel_not_found invalid_channel team_not_found message_not_found thread_not_found invalid_thread_ts file_not_found files_not_found file_deleted user_not_found users_not_found'.split(
      ' ',
    ),
  rate_limited: 'ratelimited rate_limited message_limit_exceeded'.split(' '),
  unreachable: 'internal_error fatal_error service_unavailable team_added_to_org file_update_failed'.split(
    ' ',
  ),
  timeout: ['request_timeout'],
  unsupported:
    'msg_too_long msg_blocks_too_long invalid_blocks invalid_blocks_format no_text file_type_not_allowed file_upload_size_restricted storage_limit_reached blocked_file_type unknown_method method_deprecated deprecated_endpoint method_not_supported_for_channel_type upgrade_required'.split(
      ' ',
    ),
})

/** Returns the reason for an error code. */
export const reasonOf = (code: string): ChannelFailureReason => REASONS.get(code) ?? 'unknown'

/** Codes for a text that Slack cannot render. */
const REFUSED_MARKUP = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'])

/** True if Slack refused the text itself: it is too long, empty or malformed. */
export const isAboutText = (code: string): boolean =>
  REFUSED_MARKUP.has(code) || code === 'msg_too_long' || code === 'no_text'

/** True if the same text may be accepted without markup. */
export const isAboutMarkup = (code: string): boolean =>
  REFUSED_MARKUP.has(code) || code === 'invalid_arguments'

/** Codes for a thread that does not exist or takes no replies; its channel may take the message. */
const LOST_THREAD = new Set([
  'thread_not_found',
  'invalid_thread_ts',
  'cannot_reply_to_message',
  'restricted_action_non_threadable_channel',
])

/** True if only the thread of a message was refused. */
export const isAboutThread = (code: string): boolean => LOST_THREAD.has(code)
