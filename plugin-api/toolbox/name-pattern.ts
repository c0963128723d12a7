/** The pattern of names that people choose: printable text without spaces at its ends. */
export const NAME_PATTERN =
  '^[^\\s\\u0000-\\u001f\\u007f\\ud800-\\udfff]([^\\u0000-\\u001f\\u007f\\ud800-\\udfff]*[^\\s\\u0000-\\u001f\\u007f\\ud800-\\udfff])?$'
