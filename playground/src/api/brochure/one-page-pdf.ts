// The only characters with a meaning of their own in a PDF (string).
const escape = (text: string) => text.replace(/[\\()]/g, '\\$&');

const page = (title: string, lines: string[]) => {
  const body = lines.map((line) => `0 -22 Td (${escape(line)}) Tj`).join('\n');
  return `BT\n/F1 28 Tf\n72 760 Td\n(${escape(title)}) Tj\n/F1 14 Tf\n0 -18 Td\n${body}\nET`;
};

/** An A4 page with a title and lines of Latin-1 text. */
export const onePagePdf = (title: string, lines: string[]): Buffer => {
  const content = Buffer.from(page(title, lines), 'latin1');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content.toString('latin1')}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];

  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });

  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + trailer, 'latin1');
};
