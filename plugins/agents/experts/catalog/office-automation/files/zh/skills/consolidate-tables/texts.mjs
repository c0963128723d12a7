// consolidate.mjs 输出的文字。
export const text = {
  usage: '用法：node consolidate.mjs --out merged.csv [--map mapping.json] [--key "列名,列名"] 文件.csv ...',
  brokenQuote: (file) => `${file}：引号没有配对`,
  noHeader: (file) => `${file}：没有表头`,
  unnamed: (file, column) => `${file}：第 ${column} 列没有列名`,
  twice: (file, name) => `${file}：有两列都叫“${name}”`,
  reserved: (file, name) => `${file}：列名“${name}”由本脚本使用，请映射为其他名称`,
  tooLong: (file, row) => `${file}：第 ${row} 行的单元格多于表头`,
  unknownKey: (name) => `所有文件都没有主键列“${name}”`,
  exists: (file) => `${file} 已存在，请换个文件名或先移走`,
  file: ({ name, rows, blank, encoding }) => `${name}：${rows} 行，略去空行 ${blank} 行（${encoding}）`,
  lacks: (name, columns) => `  ${name} 缺少列：${columns}`,
  total: (rows, columns, out) => `已将 ${rows} 行、${columns} 列写入 ${out}`,
  repeated: (key, places) => `主键“${key}”重复：${places}`,
  emptyKey: (place) => `主键为空：${place}`,
}
