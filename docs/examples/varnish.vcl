vcl 4.1;

import xkey;

backend strapi {
  .host = "127.0.0.1";
  .port = "1337";
}

# Who may purge: the machines that run Strapi.
acl strapi_servers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    if (client.ip !~ strapi_servers) {
      return (synth(403));
    }
    xkey.purge(req.http.xkey-purge);
    return (synth(200));
  }
}

sub vcl_backend_response {
  # By default, Varnish serves an expired response for ten more seconds.
  set beresp.grace = 0s;
}

sub vcl_deliver {
  unset resp.http.xkey;
}
