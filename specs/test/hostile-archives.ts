import { execFileSync } from 'node:child_process';

/** Malicious or broken archives, made with Python's own modules. Each of them must be rejected as a whole. */
export function hostileArchives(): { name: string; format: 'tar' | 'zip'; bytes: Buffer }[] {
  const lines = execFileSync('python3', ['-I', '-c', program], { maxBuffer: 64 * 1024 * 1024 })
    .toString()
    .trim()
    .split('\n');
  return lines.map((line) => {
    const { name, format, base64 } = JSON.parse(line);
    return { name, format, bytes: Buffer.from(base64, 'base64') };
  });
}

const program = `
import base64, io, json, stat, tarfile, warnings, zipfile
warnings.simplefilter("ignore")

def show(name, format, data):
    print(json.dumps({"name": name, "format": format, "base64": base64.b64encode(data).decode()}))

def tar(name, *members, format=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        archive.addfile(tarfile.TarInfo("good"))
        for path, change in members:
            info = tarfile.TarInfo(path)
            content = b"x"
            change(info)
            if info.type == tarfile.REGTYPE:
                info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    show(name, "tar", out.getvalue())

def plain(info): pass
def of(type, target=""):
    def change(info):
        info.type, info.linkname = type, target
    return change

tar("an absolute name", ("/etc/x", plain))
tar("an absolute name in the workspace", ("/workspace/x", plain))
tar("a name that climbs", ("../x", plain))
tar("a name that climbs after its first part", ("a/../../x", plain))
tar("a link", ("l", of(tarfile.SYMTYPE, "/etc")))
tar("a link and a file through it", ("l", of(tarfile.SYMTYPE, "/tmp")), ("l/x", plain))
tar("a hard link", ("l", of(tarfile.LNKTYPE, "/etc/passwd")))
tar("a hard link inside the archive", ("l", of(tarfile.LNKTYPE, "good")))
tar("a FIFO", ("f", of(tarfile.FIFOTYPE)))
tar("a character device", ("c", of(tarfile.CHRTYPE)))
tar("a block device", ("b", of(tarfile.BLKTYPE)))
tar("a name twice", ("x", plain), ("x", plain))
tar("a name twice in two spellings", ("a/x", plain), ("./a//x", plain))
tar("a file that is a directory", ("x", plain), ("x/y", plain))
tar("a directory that is a file", ("x/y", plain), ("x", plain))
tar("a name of 300 bytes", ("n" * 300, plain))
tar("a hundred directories", ("d/" * 100 + "x", plain))
tar("the name of an upload", (".holdfast-upload-x", plain))
tar("a name that is not UTF-8", ("\\udcff", plain), format=tarfile.GNU_FORMAT)
whole = io.BytesIO()
with tarfile.open(fileobj=whole, mode="w") as archive:
    info = tarfile.TarInfo("x")
    info.size = 5000
    archive.addfile(info, io.BytesIO(b"x" * 5000))
show("a truncated tar", "tar", whole.getvalue()[:2000])
show("a tar that is not one", "tar", b"no tar at all" * 100)
show("a zip declared as a tar", "tar", b"PK\\x03\\x04" + b"x" * 600)

def zipped(name, *members, change=lambda data: data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("good", "x")
        for path, mode, content in members:
            info = zipfile.ZipInfo("placeholder")
            info.filename = path
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = mode << 16
            archive.writestr(info, content)
    show(name, "zip", change(out.getvalue()))

file = stat.S_IFREG | 0o644
zipped("an absolute name", ("/etc/x", file, "x"))
zipped("a name that climbs", ("../x", file, "x"))
zipped("a name that climbs with backslashes", ("..\\\\x", file, "x"))
zipped("a drive", ("C:/x", file, "x"))
zipped("a link", ("l", stat.S_IFLNK | 0o777, "/etc"))
zipped("a FIFO", ("f", stat.S_IFIFO | 0o666, ""))
zipped("a device", ("c", stat.S_IFCHR | 0o666, ""))
zipped("a name twice", ("x", file, "1"), ("x", file, "2"))
zipped("a file that is a directory", ("x", file, "1"), ("x/y", file, "2"))
zipped("a bomb", ("x", file, b"\\0" * 150_000_000))
zipped("many small bombs", *[("x%d" % i, file, b"\\0" * 15_000_000) for i in range(10)])
zipped("a size that is wrong", ("x", file, b"\\0" * 3_000_000), change=lambda data: data.replace((3_000_000).to_bytes(4, "little"), (3).to_bytes(4, "little")))
zipped("a truncated zip", ("x", file, "x" * 1000), change=lambda data: data[:-30])
zipped("damaged content", ("x", file, bytes(range(256)) * 8), change=lambda data: data.replace(data[90:110], b"\\xff" * 20))
show("a zip that is not one", "zip", b"no zip at all" * 100)
show("an empty zip", "zip", b"")
`;
