#!/usr/bin/env python3
"""tutorial.py <build folder> <README.md>: executes the tutorial in an empty folder, with an installation of that build.
tutorial.py --write <README.md>: writes the folders of tutorial/ next to README.md: the project after each step.
tutorial.py --check <README.md>: checks that these folders are up to date.

The info string of a fenced block says how it is used:
    <language> <file>   the contents of the file
    diff <file>         a change of it: replaces the consecutive ' ' and '-' lines by the ' ' and '+' lines
    console             runs "$ " lines; the lines below are the expected output, "..." matches anything; " &" runs in the background
    console fails       the same, for commands that fail
The ports in the tutorial are replaced by free ones.
"""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

SECONDS = 500


def blocks(text):
    for found in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, found.start()) + 1, found.group(1), found.group(2).strip(), found.group(3)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def changed(name, text, hunk):
    lines = hunk.splitlines()
    before = "".join(line[1:] + "\n" for line in lines if line[:1] != "+")
    after = "".join(line[1:] + "\n" for line in lines if line[:1] != "-")
    if text.count(before) != 1:
        raise SystemExit(f"{name} has {text.count(before)} places for:\n{hunk}\nit is:\n{text}")
    return text.replace(before, after)


def steps(tutorial):
    """The files after each step that changes one, without running anything: {"1-hello/greeter.cpp": text}."""
    project, all_files = {}, {}
    for section in re.split(r"^## (?=\d+\. )", tutorial, flags=re.M)[1:]:
        section = section.split("\n## ")[0]
        number, title = re.match(r"(\d+)\. (.*)", section).groups()
        before = dict(project)
        for _, language, name, text in blocks(section):
            if language == "diff":
                project[name] = changed(name, project[name], text)
            elif language != "console":
                project[name] = text
        if project != before:
            folder = number + "-" + re.sub(r"[^a-z]+", "-", title.lower())
            all_files.update({f"{folder}/{name}": text for name, text in project.items()})
    return all_files


def finished(readme):
    """The folder of the steps, and its expected files."""
    return readme.parent / "tutorial", steps(readme.read_text())


def write_steps(readme):
    folder, wanted = finished(readme)
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in wanted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def check_steps(readme):
    folder, wanted = finished(readme)
    there = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    wrong = sorted(name for name in there.keys() | wanted.keys() if there.get(name) != wanted.get(name))
    if wrong or not wanted:
        raise SystemExit(f"{folder} is not what {readme} makes: {wrong}; write it with {sys.argv[0]} --write {readme}")


def pattern_of(expected):
    """A regular expression for these lines; a line "..." matches any number of lines."""
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"[ \t]*\n" for line in expected]
    return re.compile("".join(parts) + r"\Z")


class Server:
    """A background command; a thread reads its output."""

    def __init__(self, command, folder, environment):
        self.process = subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = ""
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.said += line
                self.changed.notify_all()

    def wait_for(self, expected):
        with self.changed:
            return self.changed.wait_for(lambda: pattern_of(expected).match(self.said), SECONDS)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SECONDS)


class Reader:
    def __init__(self, folder, environment):
        self.folder, self.environment, self.servers = folder, environment, []

    def console(self, text, fails):
        steps = re.split(r"^\$ ", text, flags=re.M)[1:]
        for step in steps:
            command, *expected = step.rstrip("\n").split("\n")
            if command.endswith(" &"):
                self.start(command[:-2], expected)
            else:
                self.run(command, expected, fails)

    def start(self, command, expected):
        server = Server(command, self.folder, self.environment)
        self.servers.append(server)
        if not server.wait_for(expected):
            raise SystemExit(f"{command} said:\n{server.said}\nnot:\n" + "\n".join(expected))

    def run(self, command, expected, fails):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True, timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if (done.returncode != 0) != fails:
            raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout}")
        said = done.stdout if done.stdout.endswith("\n") else done.stdout + "\n"
        if expected and not pattern_of(expected).match(said):
            raise SystemExit(f"{command} said:\n{done.stdout}\nnot:\n" + "\n".join(expected))

    def block(self, language, words, text):
        if language == "console":
            self.console(text, words == "fails")
        elif not words:
            raise SystemExit("nothing says what to do with it")
        elif language == "diff":
            path = self.folder / words
            path.write_text(changed(words, path.read_text(), text))
        else:
            (self.folder / words).write_text(text)


def installed(build, prefix):
    for component in ("sdk", "runtime"):
        subprocess.run(["cmake", "--install", build, "--component", component, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    environment = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    environment["PKG_CONFIG_PATH"] = str(next(prefix.rglob("patchbay.pc")).parent)
    return environment


def run_all(build, readme):
    tutorial = readme.read_text()
    ports = {"8080": free_port(), "9090": free_port()}
    for named, free in ports.items():
        tutorial = tutorial.replace(":" + named, ":" + free)
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work, "greeter")
        folder.mkdir()
        reader = Reader(folder, installed(build, pathlib.Path(work, "prefix")))
        used = 0
        try:
            for line, language, words, text in blocks(tutorial):
                print(f"line {line}: {language} {words}", flush=True)
                reader.block(language, words, text)
                used += 1
        finally:
            ends = [server.stop() for server in reader.servers]
        if any(ends) or used < 15:
            raise SystemExit(f"{used} blocks, servers ended with {ends}")


def main():
    what, readme = sys.argv[1], pathlib.Path(sys.argv[2])
    if what == "--write":
        return write_steps(readme)
    check_steps(readme)
    if what != "--check":
        run_all(what, readme)


if __name__ == "__main__":
    main()
