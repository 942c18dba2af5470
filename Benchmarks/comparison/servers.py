"""The servers that are compared. Each runs on the server core, alone at the time it is measured."""

import http.client
import os
import resource
import shutil
import urllib.parse

from . import processes
from .processes import Failure

_SEARCH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def program(name):
    """The path of an installed program; servers live in sbin, which is not on everyone's PATH."""
    path = shutil.which(name, path=_SEARCH)
    if path is None:
        raise Failure(f"{name} is not installed; make bench installs it")
    return path


class Server:
    """A server on a loopback port of its own, from `start` to `stop`."""

    name = ""
    # Where it runs: "server", one core without the load, or "all", both cores.
    cores = "server"

    def __init__(self, place, origin, options):
        self.place, self.origin, self.options = place, origin, options
        self.port = processes.free_port()
        self.folder = place.folder(self.name)
        self.log = os.path.join(self.folder, "log")
        self.process = None

    def start(self, cores):
        """Starts the server and waits until it listens."""
        self.process = processes.start(self.command(), cores, self.log)
        processes.wait_for(self.process, self.port, self.log)
        return self

    def stop(self):
        """Stops the server.

        What it cached stays until all is over: where many files were just removed, ext4 makes new ones at several times
        the cost, whoever comes next.
        """
        if self.process:
            processes.stop(self.process)

    def target(self, path):
        """The request target for `path` of the origin. A `{}` in it stands for a number and is kept."""
        return "/" + path

    def url(self, path):
        """The URL for `path` of the origin."""
        return f"http://127.0.0.1:{self.port}{self.target(path)}"

    def get(self, path, headers=None):
        """One request: status, header fields, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", self.target(path), headers=headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def write(self, name, text):
        """Writes a file of the server's configuration; returns its path."""
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path


class Ours(Server):
    """ImageStore with one loop. `options` are settings of its own."""

    name, loops = "ours", 1

    def __init__(self, place, origin, options):
        super().__init__(place, origin, options)
        self.admin_port = processes.free_port()

    def command(self):
        settings = {
            "listen": f"127.0.0.1:{self.port}", "adminListen": f"127.0.0.1:{self.admin_port}",
            "loops": self.loops, "allowedNetworks": "127.0.0.0/8", "diskCachePath": os.path.join(self.folder, "cache"),
            "cacheLimit": "1GB", "idleTimeout": "10m", "maxConnections": 2000, "log.level": "error", **self.options}
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        empty = self.write("imagestore.json5", "{}\n")  # so that no configuration of this machine is read
        return [self.place.settings.program, "serve", "--config", empty, *sets]

    def metrics(self):
        """The page of metrics: value by series."""
        connection = http.client.HTTPConnection("127.0.0.1", self.admin_port, timeout=20)
        try:
            connection.request("GET", "/metrics")
            lines = connection.getresponse().read().decode().splitlines()
        finally:
            connection.close()
        return {series: float(value) for series, _, value in
                (line.rpartition(" ") for line in lines if line and not line.startswith("#"))}

    def target(self, path):
        image = f"http://127.0.0.1:{self.origin}/{path}"
        return "/image?url=" + urllib.parse.quote(image, safe=":/{}")


class OursTwoLoops(Ours):
    """ImageStore with two loops. They may use both cores, which they then share with the load."""

    name, loops, cores = "ours-2", 2, "all"


class OursTwoLoopsPinned(Ours):
    """ImageStore with two loops that share the server core."""

    name, loops = "ours-2-pinned", 2


class OursFree(Ours):
    """ImageStore with one loop that shares both cores with the load."""

    name, cores = "ours-free", "all"


class Floor(Server):
    """The least that a loop on libevent can do: floor.c."""

    name = "floor"

    def command(self):
        pictures = [os.path.join(self.place.pictures, name) for name in sorted(os.listdir(self.place.pictures))]
        return [self.place.floor, str(self.port), *pictures]


class Nginx(Server):
    """nginx with `proxy_cache`: one worker, `sendfile`, open descriptors kept, connections to the origin kept."""

    name = "nginx"

    def command(self):
        cache = os.path.join(self.folder, "cache")
        return self.serve(f"""
    proxy_cache_path {cache} levels=1:2 keys_zone=images:40m max_size=2g inactive=1h use_temp_path=off;
    upstream origin {{ server 127.0.0.1:{self.origin}; keepalive 64; keepalive_requests 100000000; }}
    server {{
        listen 127.0.0.1:{self.port} backlog=4096;
        location / {{
            proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection "";
            proxy_cache images; proxy_cache_valid 200 1h; proxy_cache_lock on; proxy_cache_lock_timeout 30s;
        }}
    }}""")

    def serve(self, http):
        """The command for a configuration with `http` in its http block."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        user = "user root;" if os.geteuid() == 0 else ""
        configuration = self.write("nginx.conf", f"""
worker_processes 1; daemon off; {user} pid {self.folder}/pid; error_log {self.log} error;
worker_rlimit_nofile {files};
events {{ worker_connections {files}; }}
http {{
    access_log off; default_type image/png; sendfile on; tcp_nodelay on;
    keepalive_requests 100000000; keepalive_timeout 10m; send_timeout 10m;
    open_file_cache max={min(files // 2, 12000)} inactive=10m; open_file_cache_valid 10m;
    client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;
    fastcgi_temp_path {self.folder}/f; uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;{http}
}}
""")
        return [program("nginx"), "-e", self.log, "-c", configuration]


class StaticOrigin(Nginx):
    """The origin: nginx with files, on the load's core."""

    name = "origin"

    def command(self):
        return self.serve(f"""
    server {{ listen 127.0.0.1:{self.port} backlog=4096; root {self.place.pictures}; }}""")


class Varnish(Server):
    """varnish with its cache in memory."""

    name = "varnish"

    def command(self):
        vcl = self.write("default.vcl", f"""vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{self.origin}"; }}
sub vcl_backend_response {{ set beresp.ttl = 1h; }}
""")
        parameters = ["timeout_idle=600", "listen_depth=4096", "thread_pools=1", "thread_pool_min=200"]
        return [program("varnishd"), "-F", "-j", "none", "-n", os.path.join(self.folder, "work"),
                "-a", f"127.0.0.1:{self.port}", "-T", "none", "-f", vcl, "-s", "malloc,1g",
                *(word for parameter in parameters for word in ("-p", parameter))]


KINDS = {kind.name: kind for kind in (
    Ours, OursTwoLoops, OursTwoLoopsPinned, OursFree, Floor, Nginx, Varnish)}
